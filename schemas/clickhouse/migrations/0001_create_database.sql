-- Everything Tocsin stores lives in one database. This file and 0002 run on every apply, because the ledger they make must stand
-- before it can be read.
CREATE DATABASE IF NOT EXISTS tocsin;

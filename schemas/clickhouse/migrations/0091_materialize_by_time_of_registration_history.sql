-- For the rows that are already there: parts with and without a projection are not merged.
ALTER TABLE tocsin.registration_history
    MATERIALIZE PROJECTION by_time;

//! `include_dir!` does not tell Cargo which files it read: without these lines an edited file would not reach the binary.

fn main() {
    println!("cargo:rerun-if-changed=../../schemas/topics");
    println!("cargo:rerun-if-changed=../../schemas/clickhouse");
}

//! `tocsin mibs`: names for OIDs from MIB modules of the user's own.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use tocsin_snmp::mib::{Compiled, Source, compile};
use tocsin_snmp::names::Names;

use crate::Failure;

const AFTER_HELP: &str = "\
Example:
  tocsin mibs compile /usr/share/snmp/mibs /var/lib/mibs -o site.tsv
and in the agent's config:
  snmp: {mibs: [site.tsv]}

Standard modules need not be in the folders: what the shipped table names may be imported.";

/// Problems that are printed; a folder that misses one module can have thousands.
const MAX_PROBLEMS: usize = 50;

/// `tocsin mibs ...`
#[derive(Args, Debug)]
pub struct MibsArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Compile all MIB modules of some folders into a table of names that the agent loads.
    Compile(CompileArgs),
}

#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
struct CompileArgs {
    /// Folders of MIB files, SMIv1 or SMIv2, whatever they are called; folders in them are read too.
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,

    /// Where the table goes; standard output without it.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Write what could be compiled although something could not.
    #[arg(long)]
    keep_going: bool,
}

/// Writes a table, and says on standard error what went into it and what did not.
pub fn run(args: &MibsArgs) -> Result<(), Failure> {
    let Command::Compile(args) = &args.command;
    let mut files = Vec::new();
    args.folders.iter().try_for_each(|folder| collect(folder, &mut files))?;
    files.sort();
    let folders = args.folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", ");
    let texts = files.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    let sources: Vec<_> = texts.iter().filter(|(_, text)| text.contains("DEFINITIONS")).map(|(name, text)| Source { name, text }).collect();
    if sources.is_empty() {
        return Err(Failure::usage(
            format!("{folders}: none of {} files is a MIB module", files.len()),
            "name the folders that hold the modules; each begins with NAME DEFINITIONS ::= BEGIN",
        ));
    }
    let known = Names::shipped().map_err(|error| Failure::new(format!("the shipped table of names: {error}"), "report this defect"))?;
    let compiled = compile(&sources, &known);
    tell_problems(&compiled);
    if !compiled.problems.is_empty() && !args.keep_going {
        return Err(Failure::usage(
            format!("{folders}: {} problems, nothing is written", compiled.problems.len()),
            "correct or remove those files, or leave out what is wrong with --keep-going",
        ));
    }
    write(&compiled, args.output.as_deref())?;
    eprintln!("{} names of {} modules", compiled.names, compiled.modules.len());
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let unreadable = |error| Failure::usage(format!("cannot read {}: {error}", folder.display()), "name a readable folder of MIB files");
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let kind = entry.file_type().map_err(unreadable)?;
        // A link to a folder could lead back here.
        if kind.is_dir() {
            collect(&entry.path(), files)?;
        } else if !entry.path().is_dir() {
            files.push(entry.path());
        }
    }
    Ok(())
}

/// A file's text; MIBs of old are not always UTF-8, and only their descriptions suffer.
fn read(path: &Path) -> Result<(String, String), Failure> {
    let bytes = fs::read(path)
        .map_err(|error| Failure::usage(format!("cannot read {}: {error}", path.display()), "make it readable, or remove it"))?;
    Ok((path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()))
}

fn tell_problems(compiled: &Compiled) {
    compiled.problems.iter().take(MAX_PROBLEMS).for_each(|problem| eprintln!("{problem}"));
    if compiled.problems.len() > MAX_PROBLEMS {
        eprintln!("and {} more", compiled.problems.len() - MAX_PROBLEMS);
    }
}

fn write(compiled: &Compiled, output: Option<&Path>) -> Result<(), Failure> {
    match output {
        Some(path) => fs::write(path, &compiled.table)
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display()), "choose another --output")),
        None => {
            print!("{}", compiled.table);
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str =
        "M DEFINITIONS ::= BEGIN\nIMPORTS enterprises FROM SNMPv2-SMI;\nm OBJECT IDENTIFIER ::= { enterprises 32473 }\nEND\n";

    fn args(folder: &Path, output: &Path, keep_going: bool) -> MibsArgs {
        MibsArgs {
            command: Command::Compile(CompileArgs { folders: vec![folder.to_owned()], output: Some(output.to_owned()), keep_going }),
        }
    }

    #[test]
    fn a_module_may_import_from_another_folder() {
        let (vendor, site) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let output = vendor.path().join("table.tsv");
        fs::write(vendor.path().join("m.mib"), MODULE).unwrap();
        let importing = "S DEFINITIONS ::= BEGIN\nIMPORTS m FROM M;\ns OBJECT IDENTIFIER ::= { m 1 }\nEND\n";
        fs::write(site.path().join("s.mib"), importing).unwrap();
        let folders = vec![site.path().to_owned(), vendor.path().to_owned()];
        run(&MibsArgs { command: Command::Compile(CompileArgs { folders, output: Some(output.clone()), keep_going: false }) }).unwrap();
        assert!(fs::read_to_string(&output).unwrap().contains("S::s"));
    }

    #[test]
    fn a_folder_becomes_a_table_that_the_agent_can_load() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("table.tsv");
        fs::create_dir(folder.path().join("vendor")).unwrap();
        fs::write(folder.path().join("vendor/m.mib"), MODULE).unwrap();
        fs::write(folder.path().join("README"), "no module").unwrap();
        run(&args(folder.path(), &output, false)).unwrap();
        let mut names = Names::default();
        names.add(&fs::read_to_string(&output).unwrap()).unwrap();
        assert_eq!(names.oid("M::m").unwrap().to_string(), "1.3.6.1.4.1.32473");
    }

    #[test]
    fn a_problem_keeps_the_table_from_being_written_unless_told_otherwise() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("table.tsv");
        fs::write(folder.path().join("good.mib"), MODULE).unwrap();
        fs::write(folder.path().join("bad.mib"), "B DEFINITIONS ::= BEGIN\nb OBJECT IDENTIFIER ::= { nowhere 1 }\nEND").unwrap();
        let failure = run(&args(folder.path(), &output, false)).unwrap_err().to_string();
        assert!(failure.contains("1 problems") && failure.contains("--keep-going"), "{failure}");
        assert!(!output.exists());
        run(&args(folder.path(), &output, true)).unwrap();
        assert!(fs::read_to_string(&output).unwrap().contains("M::m"));
    }

    /// Net-SNMP's variable first; where packages and its own `make install` put them; what `make test` unpacks.
    fn folder_of_net_snmp() -> Option<PathBuf> {
        let told = std::env::var("MIBDIRS").unwrap_or_default();
        let unpacked = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.tocsin/tools/counterparts/root/usr/share/snmp/mibs");
        let usual = ["/usr/share/snmp/mibs", "/usr/local/share/snmp/mibs", unpacked];
        told.split(':').chain(usual).map(PathBuf::from).find(|folder| folder.join("NET-SNMP-AGENT-MIB.txt").exists())
    }

    /// Net-SNMP's own modules: from a counterpart that this project did not write.
    #[test]
    fn the_modules_of_net_snmp_compile_without_a_problem() {
        let Some(folder) = folder_of_net_snmp() else {
            assert!(std::env::var("CI").as_deref() != Ok("true"), "Net-SNMP's modules are missing; apt-get install libsnmp-base");
            return eprintln!("skipped: Net-SNMP's modules are missing; apt-get install libsnmp-base, or name their folder in MIBDIRS");
        };
        let output = tempfile::NamedTempFile::new().unwrap();
        run(&args(&folder, output.path(), false)).unwrap();
        let mut names = Names::default();
        names.add(&fs::read_to_string(output.path()).unwrap()).unwrap();
        assert_eq!(names.oid("UCD-SNMP-MIB::laLoad.1").unwrap().to_string(), "1.3.6.1.4.1.2021.10.1.3.1");
        assert_eq!(names.oid("nsNotifyShutdown").unwrap().to_string(), "1.3.6.1.4.1.8072.4.0.2");
    }
}

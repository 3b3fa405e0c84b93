//! Several names of one device: routing engines that sign for themselves, and names from before a device was renamed. Pure.

use std::collections::{BTreeMap, HashMap};

/// What stands for the part of a name that is kept.
const ANY: char = '*';

/// `devices.aliases`, ready to be asked for each event.
#[derive(Debug, Default)]
pub(crate) struct Aliases {
    whole: HashMap<String, String>,
    /// In the order of their beginnings and ends, the longest first.
    patterns: Vec<Pattern>,
}

#[derive(Debug)]
struct Pattern {
    prefix: String,
    suffix: String,
    /// Before and after what is kept; none: nothing of it is.
    name: (String, Option<String>),
}

impl Aliases {
    /// The name that is meant; `None` where there is no other.
    pub(crate) fn of(&self, device: &str) -> Option<String> {
        if let Some(name) = self.whole.get(device) {
            return Some(name.clone());
        }
        self.patterns.iter().find_map(|pattern| pattern.name_of(device))
    }

    /// What is wrong with an alias, one sentence that names key and remedy.
    pub(crate) fn check(alias: &str, name: &str) -> Result<(), String> {
        let stars = |text: &str| text.matches(ANY).count();
        let key = format!("devices.aliases: {alias:?}: {name:?}");
        if stars(alias) > 1 || stars(name) > stars(alias) {
            return Err(format!("{key} has too many {ANY}; use at most one in the alias, and one in the name where the alias has one"));
        }
        if alias.is_empty() || name.is_empty() || alias == ANY.to_string() {
            return Err(format!("{key} would rename every device, or to nothing; write what is special about the alias"));
        }
        Ok(())
    }
}

impl Pattern {
    fn name_of(&self, device: &str) -> Option<String> {
        let kept = device.strip_prefix(self.prefix.as_str())?.strip_suffix(self.suffix.as_str()).filter(|kept| !kept.is_empty())?;
        Some(match &self.name {
            (before, Some(after)) => format!("{before}{kept}{after}"),
            (name, None) => name.clone(),
        })
    }
}

impl From<&BTreeMap<String, String>> for Aliases {
    fn from(aliases: &BTreeMap<String, String>) -> Self {
        let mut read = Self::default();
        for (alias, name) in aliases {
            let Some((prefix, suffix)) = alias.split_once(ANY) else {
                read.whole.insert(alias.clone(), name.clone());
                continue;
            };
            let name = match name.split_once(ANY) {
                Some((before, after)) => (before.to_owned(), Some(after.to_owned())),
                None => (name.clone(), None),
            };
            read.patterns.push(Pattern { prefix: prefix.to_owned(), suffix: suffix.to_owned(), name });
        }
        read.patterns.sort_by_key(|pattern| std::cmp::Reverse(pattern.prefix.len() + pattern.suffix.len()));
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aliases(pairs: &[(&str, &str)]) -> Aliases {
        let pairs: BTreeMap<_, _> = pairs.iter().map(|(alias, name)| ((*alias).to_owned(), (*name).to_owned())).collect();
        Aliases::from(&pairs)
    }

    #[test]
    fn both_routing_engines_of_a_device_are_the_device() {
        let aliases = aliases(&[("*-re0", "*"), ("*-re1", "*"), ("re0.*", "*"), ("re1.*", "*")]);
        for (device, expected) in [
            ("mx4-re0", Some("mx4")),
            ("mx4-re1", Some("mx4")),
            ("re0.mx4.example.net", Some("mx4.example.net")),
            ("re1.mx4", Some("mx4")),
            ("mx4", None),
            ("-re0", None),
            ("re0", None),
            ("mx4-re01", None),
        ] {
            assert_eq!(aliases.of(device).as_deref(), expected, "{device}");
        }
    }

    #[test]
    fn a_whole_name_goes_before_a_pattern_and_the_longer_pattern_before_the_shorter() {
        let aliases = aliases(&[("sw-*", "switch-*"), ("sw-lab-*", "lab"), ("sw-7", "core-1")]);
        assert_eq!(aliases.of("sw-7").as_deref(), Some("core-1"));
        assert_eq!(aliases.of("sw-8").as_deref(), Some("switch-8"));
        assert_eq!(aliases.of("sw-lab-3").as_deref(), Some("lab"));
        assert_eq!(aliases.of("core-1"), None, "a name is changed once");
    }

    #[test]
    fn an_alias_that_would_mean_everything_is_refused_with_a_remedy() {
        for (alias, name) in [("*", "x"), ("", "x"), ("a", ""), ("*-*", "*"), ("a", "*"), ("a-*", "*-*")] {
            let problem = Aliases::check(alias, name).unwrap_err();
            assert!(problem.contains("devices.aliases") && problem.contains(';'), "{problem}");
        }
        for (alias, name) in [("*-re0", "*"), ("old", "new"), ("lab-*", "lab")] {
            Aliases::check(alias, name).unwrap();
        }
    }
}

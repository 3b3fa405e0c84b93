//! What shells offer, by the shell itself: bash reads what `COMPLETE=bash tocsin` writes, and asks.

#[allow(dead_code, reason = "other tests use the rest of it")]
mod server;

use std::process::Command;

use server::server;

const TOCSIN: &str = env!("CARGO_BIN_EXE_tocsin");

/// What bash offers behind this line, in its order; its server is that of TOCSIN_TEST_CLICKHOUSE_URL, or none.
fn offered(line: &str) -> Vec<String> {
    // As bash would: words as COMP_WORDBREAKS parts them, and the index of the last.
    let script = r#"
        tocsin() { "$TOCSIN" "$@"; }
        source <(COMPLETE=bash "$TOCSIN")
        function_of_it=$(complete -p tocsin | sed -E 's/.* -F ([^ ]+) .*/\1/')
        COMP_LINE=$LINE COMP_POINT=${#LINE} COMP_TYPE=9
        read -ra COMP_WORDS <<<"$(sed -E 's/=/ = /g' <<<"$LINE")"
        [[ $LINE != *' ' ]] || COMP_WORDS+=('')
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        current=${COMP_WORDS[COMP_CWORD]}
        [[ $current != '=' ]] || current=
        "$function_of_it" tocsin "$current" "${COMP_WORDS[COMP_CWORD - 1]}" 2>/dev/null
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let url = std::env::var("TOCSIN_TEST_CLICKHOUSE_URL").unwrap_or_else(|_| "http://127.0.0.1:1".to_owned());
    let output = Command::new("bash")
        .args(["-c", script])
        .envs([("TOCSIN", TOCSIN), ("LINE", line), ("TOCSIN_CLICKHOUSE", &url)])
        .env("PATH", format!("{}:{}", std::path::Path::new(TOCSIN).parent().unwrap().display(), std::env::var("PATH").unwrap()))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| line.trim_end().to_owned()).filter(|line| !line.is_empty()).collect()
}

#[test]
fn commands_questions_and_their_keys_are_offered() {
    assert_eq!(offered("tocsin ba"), ["balance"]);
    assert_eq!(offered("tocsin ask who_"), ["who_had_ip"]);
    assert_eq!(offered("tocsin ask device_timeline d"), ["device="]);
    assert_eq!(offered("tocsin ask device_timeline at=-1"), ["-1h", "-1d"]);
    // Flags come behind them.
    assert_eq!(offered("tocsin ask device_timeline at=")[..4], ["now", "-1h", "-1d", "-7d"]);
    assert_eq!(offered("tocsin ask nothing_of_this_name d"), Vec::<String>::new());
}

#[test]
fn names_that_clickhouse_knows_are_offered_but_none_that_the_shell_would_read() {
    let Some(url) = server("TOCSIN_TEST_CLICKHOUSE_URL") else { return };
    let apply = Command::new(TOCSIN).args(["schema", "apply", "--only", "clickhouse", "--clickhouse", &url]).status().unwrap();
    assert!(apply.success());
    let begin = format!("sw-complete-{}", std::process::id());
    for (number, device) in [format!("{begin}-a.example"), format!("{begin}-b"), format!("{begin}-$(id)")].iter().enumerate() {
        let insert = format!(
            "INSERT INTO tocsin.syslog (agent_id, boot_id, agent_sequence, listener, received_at, event_time, device, message) \
             VALUES ('complete', 1, {number}, 'l', now64(9), now64(9), '{device}', 'm')"
        );
        ureq::post(&url).send(&insert).unwrap();
    }
    let devices = offered(&format!("tocsin ask device_timeline device={begin}"));
    assert_eq!(devices, [format!("{begin}-a.example"), format!("{begin}-b")], "the shell has read the key already");
}

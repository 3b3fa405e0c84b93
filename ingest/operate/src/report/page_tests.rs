use crate::ask::answer::Answer;

use super::super::section::SECTIONS;
use super::*;

/// An answer with these columns, all of them text or numbers as the values are.
fn answered(question: &str, columns: &[&str], rows: &[Vec<Value>]) -> Answered<'static> {
    let section = SECTIONS.iter().find(|section| section.question == question).unwrap();
    let data_type = |index: usize| if rows.iter().any(|row| row[index].is_number()) { "Float64" } else { "String" };
    let meta: Vec<Value> =
        columns.iter().enumerate().map(|(index, name)| serde_json::json!({ "name": name, "type": data_type(index) })).collect();
    let statistics = serde_json::json!({ "elapsed": 0.0, "rows_read": 0, "bytes_read": 0 });
    let text = serde_json::json!({ "meta": meta, "data": rows, "statistics": statistics }).to_string();
    Answered { section, command: format!("tocsin ask {question}"), answer: Answer::parse(&text).unwrap() }
}

fn october(answers: &[Answered<'_>]) -> String {
    let month = Month {
        first: "2026-10-01".parse().unwrap(),
        last: "2026-10-31".parse().unwrap(),
        is_over: true,
        written_at: "2026-11-02T08:00:00Z".parse().unwrap(),
    };
    page(&month, answers, &Zone::find(Some("Europe/Berlin")).unwrap())
}

#[test]
fn figures_of_the_month_stand_above_all() {
    let page = october(&[
        answered("pages_by_week", &["pages", "critical"], &[vec![1200.into(), 2.into()], vec![300.into(), 0.into()]]),
        answered(
            "time_to_acknowledge",
            &["opened", "acknowledged", "resolved", "mean_minutes_to_acknowledge", "mean_minutes_to_resolve"],
            // One team acknowledges three times as often: its minutes count three times.
            &[vec![9.into(), 3.into(), 0.into(), 10.04.into(), Value::Null], vec![1.into(), 1.into(), 0.into(), 30.into(), Value::Null]],
        ),
        answered("link_availability", &["link_id", "is_kept"], &[vec!["a".into(), 1.into()], vec!["b".into(), 0.into()]]),
        answered("drops", &["kernel_dropped", "dropped"], &[vec![5.into(), 2.into()]]),
    ]);
    for (name, figure) in [
        ("pages", "1\u{202f}500"),
        ("critical pages", "2"),
        ("alerts", "10"),
        ("until acknowledged", "15 min"),
        ("until resolved", "none was"),
        ("links that kept 99.9 %", "1 of 2"),
        ("records lost", "7"),
    ] {
        assert!(page.contains(&format!("<dt>{name}</dt><dd>{figure}</dd>")), "{name}: {page}");
    }
    assert!(page.contains("<h1>Network report, October 2026</h1>") && page.contains("2026-10-01 to 2026-10-31, Europe/Berlin"), "{page}");
}

#[test]
fn where_no_collector_reported_nothing_is_said_to_be_whole() {
    let page = october(&[answered("drops", &[], &[])]);
    assert!(page.contains("<div class=\"tile bad\"><dt>records lost</dt><dd>not known</dd></div>"), "{page}");
    assert!(page.contains("what was lost is not known"), "{page}");
}

#[test]
fn bars_are_as_long_as_their_figures_laid_end_to_end() {
    let columns = ["week", "pages", "critical", "major"];
    let page = october(&[answered(
        "pages_by_week",
        &columns,
        &[vec!["2026-09-28".into(), 4.into(), 1.into(), 3.into()], vec!["2026-10-05".into(), 2.into(), 0.into(), 2.into()]],
    )]);
    assert!(
        page.contains(
            "<rect class=\"critical\" x=\"0.0\" width=\"250.0\" height=\"14\"/><rect class=\"major\" x=\"250.0\" width=\"750.0\""
        ),
        "{page}"
    );
    assert!(page.contains("aria-hidden=\"true\"><rect class=\"major\" x=\"0.0\" width=\"500.0\" height=\"14\"/></svg>"), "{page}");
    assert!(page.contains("/></svg>critical</li>"), "several colours have a legend: {page}");
}

#[test]
fn what_a_device_said_is_text_and_the_page_loads_and_runs_nothing() {
    let hostile = "<script>alert(1)</script>\" onload='x' & \u{1b}[2J\u{202e}";
    let page = october(&[answered("worst_devices", &["device", "hours"], &[vec![hostile.into(), 1.into()]])]);
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot; onload=&#39;x&#39; &amp; \\u{1b}[2J\\u{202e}"), "{page}");
    for loading in ["<script", "<link", "<img", "src=", "href=", "url(", "@import", "http://", "https://"] {
        assert!(!page.contains(loading), "{loading}: {page}");
    }
}

#[test]
fn words_stand_for_yes_and_no_and_a_dash_for_nothing() {
    let columns = ["link_id", "is_kept", "lost_percent", "available_percent"];
    let page = october(&[answered("link_availability", &columns, &[vec!["fra-ams".into(), 0.into(), Value::Null, 99.8765.into()]])]);
    assert!(page.contains("<td class=\"number\">99.8765</td><td class=\"bad\">no</td>"), "{page}");
    assert!(page.contains("<td>-</td>"), "{page}");
}

#[test]
fn numbers_have_their_thousands_apart() {
    for (number, text) in
        [(0.0, "0"), (999.0, "999"), (1000.0, "1\u{202f}000"), (1_234_567.25, "1\u{202f}234\u{202f}567.25"), (-1500.0, "-1\u{202f}500")]
    {
        assert_eq!(rounded(number), text);
    }
}

/// The page that `.ci/lint/axe.mjs` looks at, and people can: each section with a row of every kind. TOCSIN_WRITE_GOLDEN=1 writes it.
#[test]
fn a_page_of_every_section_is_as_it_is_kept() {
    let answers: Vec<_> = SECTIONS
        .iter()
        .enumerate()
        .map(|(index, section)| {
            let columns: Vec<&str> =
                section.columns.iter().map(|column| column.name).chain(section.bar.iter().map(|(name, _)| *name)).collect();
            let is_figure = |name: &str| section.bar.iter().any(|(bar, _)| *bar == name);
            let value = |name: &str, row: u32| match name {
                name if name.starts_with("is_") => Value::from(row % 2),
                name if is_figure(name) => Value::from(f64::from(row) * 1234.5),
                name => Value::from(format!("{name} {row}")),
            };
            let rows: Vec<Vec<Value>> = (0..3).map(|row| columns.iter().map(|name| value(name, row)).collect()).collect();
            // One of them found nothing.
            answered(section.question, &columns, if index + 1 == SECTIONS.len() { &[] } else { &rows })
        })
        .collect();
    let page = october(&answers);
    let kept = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/report.html");
    if std::env::var_os("TOCSIN_WRITE_GOLDEN").is_some() {
        std::fs::write(&kept, &page).unwrap();
    }
    assert!(page == std::fs::read_to_string(&kept).unwrap(), "{} is another page; look at it, and write it anew", kept.display());
}

//! The page: HTML with its style and its charts (inline SVG) in it, and nothing that is loaded or run. Pure.

use std::fmt::Write;

use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::Value;

use super::section::{Answered, Section, Shown};
use crate::ask::answer::visible;
use crate::ask::zone::Zone;

const STYLE: &str = include_str!("style.css");

/// Width of a bar's drawing, in units of its own.
const FULL: f64 = 1000.0;

/// The time that a report is about.
#[derive(Debug)]
pub struct Month {
    /// Its first day.
    pub first: Date,
    /// Its last.
    pub last: Date,
    /// Whether all of it has passed.
    pub is_over: bool,
    /// When the report was written.
    pub written_at: Timestamp,
}

/// The whole page.
pub fn page(month: &Month, answered: &[Answered<'_>], zone: &Zone) -> String {
    let title = format!("Network report, {}", month.first.strftime("%B %Y"));
    let sections: String = answered.iter().map(|answered| section(answered, zone)).collect();
    let not_over = if month.is_over { "" } else { "<p class=\"not-over\">This month is not over: figures are those up to now.</p>\n" };
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n\
         <p class=\"sub\">{first} to {last}, {zone_name}; written {written}</p>\n{not_over}</header>\n\
         <main>\n<dl class=\"tiles\">\n{tiles}</dl>\n{sections}</main>\n\
         <footer>Every figure can be asked for again by the command below its table.</footer>\n</body>\n</html>\n",
        first = month.first,
        last = month.last,
        zone_name = escaped(&zone.name),
        written = zone.show(month.written_at.round(jiff::Unit::Second).unwrap_or(month.written_at)),
        tiles = tiles(answered),
    )
}

/// The figures that stand above all.
fn tiles(answered: &[Answered<'_>]) -> String {
    let of = |question: &str| answered.iter().find(|answered| answered.section.question == question);
    let sum = |question: &str, column: &str| of(question).map_or(0.0, |answered| answered.sum(column));
    let minutes = |column: &str, weight: &str| {
        let mean = of("time_to_acknowledge").and_then(|answered| answered.mean(column, weight));
        mean.map_or_else(|| "nobody did".to_owned(), |mean| format!("{} min", rounded((mean * 10.0).round() / 10.0)))
    };
    let links = of("link_availability").map_or(0, |answered| answered.answer.rows.len());
    let kept = sum("link_availability", "is_kept");
    let lost = sum("drops", "kernel_dropped") + sum("drops", "dropped");
    let has_report = of("drops").is_some_and(|answered| !answered.answer.rows.is_empty());
    let tiles = [
        ("pages", rounded(sum("pages_by_week", "pages")), false),
        ("critical pages", rounded(sum("pages_by_week", "critical")), sum("pages_by_week", "critical") > 0.0),
        ("alerts", rounded(sum("time_to_acknowledge", "opened")), false),
        ("until acknowledged", minutes("mean_minutes_to_acknowledge", "acknowledged"), false),
        ("until resolved", minutes("mean_minutes_to_resolve", "resolved").replace("nobody did", "none was"), false),
        ("links that kept 99.9 %", format!("{kept} of {links}"), kept < links as f64),
        ("requests to an empty pool", rounded(sum("leases_by_relay", "no_free_leases")), sum("leases_by_relay", "no_free_leases") > 0.0),
        ("records lost", if has_report { rounded(lost) } else { "not known".to_owned() }, lost > 0.0 || !has_report),
    ];
    tiles
        .iter()
        .map(|(name, figure, is_bad)| {
            let class = if *is_bad { "tile bad" } else { "tile" };
            format!("<div class=\"{class}\"><dt>{name}</dt><dd>{figure}</dd></div>\n")
        })
        .collect()
}

fn section(answered: &Answered<'_>, zone: &Zone) -> String {
    let Section { title, meaning, nothing, .. } = answered.section;
    let body = if answered.answer.rows.is_empty() { format!("<p>{nothing}</p>\n") } else { table(answered, zone) };
    let command = escaped(&answered.command);
    format!("<section>\n<h2>{title}</h2>\n<p class=\"meaning\">{meaning}</p>\n{body}<p class=\"command\">{command}</p>\n</section>\n")
}

fn table(answered: &Answered<'_>, zone: &Zone) -> String {
    let columns = answered.section.columns;
    let mut html = legend(answered.section);
    // It scrolls on a phone, also by keys.
    let _ =
        write!(html, "<div class=\"table\" role=\"region\" aria-label=\"{}\" tabindex=\"0\"><table>\n<thead><tr>", answered.section.title);
    let (first, others) = columns.split_first().expect("a section shows a column");
    let heading = |column: &Shown| format!("<th scope=\"col\"{}>{}</th>", number_class(answered, column), column.heading);
    let _ = write!(html, "{}<td class=\"chart\"></td>{}", heading(first), others.iter().map(heading).collect::<String>());
    html += "</tr></thead>\n<tbody>\n";
    let longest = (0..answered.answer.rows.len()).map(|row| length(answered, row)).fold(0.0, f64::max);
    for row in 0..answered.answer.rows.len() {
        let cells: String = others.iter().map(|column| cell(answered, row, column, zone)).collect();
        let (name, bar) = (cell(answered, row, first, zone), bar(answered, row, longest));
        let _ = writeln!(html, "<tr>{name}<td class=\"chart\">{bar}</td>{cells}</tr>");
    }
    html + "</tbody>\n</table></div>\n"
}

fn cell(answered: &Answered<'_>, row: usize, column: &Shown, zone: &Zone) -> String {
    let value = answered.cell(row, column.name);
    if column.name.starts_with("is_") {
        return if value == &Value::from(1) || value == &Value::from(true) {
            "<td>yes</td>".to_owned()
        } else {
            "<td class=\"bad\">no</td>".to_owned()
        };
    }
    if let Some(number) = value.as_f64() {
        return format!("<td class=\"number\">{}</td>", rounded(number));
    }
    let shown = answered.answer.index(column.name).map(|index| answered.answer.shown(&answered.answer.rows[row], index, zone));
    let shown = shown.filter(|shown| !shown.is_empty()).unwrap_or_else(|| "-".to_owned());
    format!("<td{}>{}</td>", number_class(answered, column), escaped(&shown))
}

fn number_class(answered: &Answered<'_>, column: &Shown) -> &'static str {
    let is_number = answered.answer.index(column.name).is_some_and(|index| answered.answer.columns[index].is_number());
    if is_number && !column.name.starts_with("is_") { " class=\"number\"" } else { "" }
}

/// What the colours of bars mean, where a bar has several.
fn legend(section: &Section) -> String {
    if section.bar.len() < 2 {
        return String::new();
    }
    let heading = |name: &str| section.columns.iter().find(|column| column.name == name).map_or("", |column| column.heading);
    let entries: String = section
        .bar
        .iter()
        .map(|(name, colour)| {
            format!(
                "<li><svg viewBox=\"0 0 1 1\" aria-hidden=\"true\"><rect class=\"{colour}\" width=\"1\" height=\"1\"/></svg>{}</li>",
                heading(name)
            )
        })
        .collect();
    format!("<ul class=\"legend\">{entries}</ul>\n")
}

/// The row's figures end to end; the longest row of the table fills the column. The figures stand beside it as text.
fn bar(answered: &Answered<'_>, row: usize, longest: f64) -> String {
    let mut svg = "<svg viewBox=\"0 0 1000 14\" preserveAspectRatio=\"none\" aria-hidden=\"true\">".to_owned();
    let mut start = 0.0;
    for (name, colour) in answered.section.bar {
        let width = if longest > 0.0 { answered.number(row, name).max(0.0) / longest * FULL } else { 0.0 };
        if width > 0.0 {
            let _ = write!(svg, "<rect class=\"{colour}\" x=\"{start:.1}\" width=\"{width:.1}\" height=\"14\"/>");
        }
        start += width;
    }
    svg + "</svg>"
}

fn length(answered: &Answered<'_>, row: usize) -> f64 {
    answered.section.bar.iter().map(|(name, _)| answered.number(row, name).max(0.0)).sum()
}

/// With the thousands apart, and no more digits behind the point than it has.
fn rounded(number: f64) -> String {
    let text = format!("{}", (number * 10_000.0).round() / 10_000.0);
    let (whole, fraction) = text.split_once('.').map_or((text.as_str(), ""), |(whole, fraction)| (whole, fraction));
    let digits = whole.trim_start_matches('-');
    let grouped: Vec<&str> = digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).unwrap_or_default()).collect();
    let sign = if whole.starts_with('-') { "-" } else { "" };
    let fraction = if fraction.is_empty() { String::new() } else { format!(".{fraction}") };
    // A thin blank that breaks no line.
    format!("{sign}{}{fraction}", grouped.join("\u{202f}"))
}

/// Text in HTML: what a device said is neither markup nor a command.
fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for character in visible(text).chars() {
        match character {
            '&' => html += "&amp;",
            '<' => html += "&lt;",
            '>' => html += "&gt;",
            '"' => html += "&quot;",
            '\'' => html += "&#39;",
            _ => html.push(character),
        }
    }
    html
}

#[cfg(test)]
#[path = "page_tests.rs"]
mod tests;

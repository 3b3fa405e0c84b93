use super::*;

/// Links have no defaults that could be shown live, so the example shows one in a comment.
#[test]
fn the_example_s_commented_link_has_every_key_at_its_default() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/config/agent.example.yaml");
    let text = fs::read_to_string(path).unwrap();
    let commented = text.lines().skip_while(|line| *line != "#links:").map_while(|line| line.strip_prefix('#'));
    let yaml = commented.collect::<Vec<_>>().join("\n");
    let example = load(&yaml).unwrap().links;
    let shortest = load("links: [{id: fra1-ams1-carrier-a, method: icmp, target: ams1-edge.example.net}]").unwrap().links;
    assert_eq!(example, shortest);
    let written: serde_json::Value = serde_saphyr::from_str(&yaml).unwrap();
    let known: serde_json::Value = serde_saphyr::from_str(&Config { links: shortest, ..Config::default() }.to_yaml().unwrap()).unwrap();
    assert_eq!(keys(&written["links"]), keys(&known["links"]));
}

#[test]
fn links_that_cannot_work_are_refused_with_link_key_and_remedy() {
    let link = |keys: &str| format!("links: [{{id: a, target: 192.0.2.1, {keys}}}]");
    refused(&link("method: icmp, intervall: 1s"), &["agent.yaml", "intervall"]);
    refused(&link("method: ping"), &["agent.yaml", "ping"]);
    refused(&link("method: icmp, interval: 0s"), &["link a", "interval", "10ms"]);
    refused(&link("method: tcp"), &["link a", "port"]);
    refused("links: [{id: 'two words', method: icmp, target: a}]", &["links[].id"]);
    refused("links: [{id: a, method: icmp, target: a}, {id: a, method: icmp, target: b}]", &["two links", "id a"]);
    refused(
        "links: [{id: a, method: icmp, target: a}]\nlisteners: [{name: probes, kind: syslog, listen: '[::]:1'}]",
        &["listener", "probes", "another"],
    );
}

#[test]
fn a_site_is_inherited_by_links_that_have_none() {
    let config = load("site: fra1\nlinks: [{id: a, method: icmp, target: a}, {id: b, method: icmp, target: b, site: ams2}]").unwrap();
    assert_eq!(config.links.iter().map(|link| link.site.as_str()).collect::<Vec<_>>(), ["fra1", "ams2"]);
}

//! `<alert action=... />`, one or several, in any wrapper element. Text and other elements are ignored; entities of a DTD are not expanded.

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::{Elements, Fields, syntax};
use crate::Refusal;

pub(super) fn read(text: &str) -> Elements {
    let mut reader = Reader::from_str(text);
    let mut elements = Vec::new();
    let mut depth = 0_u32;
    loop {
        let event = reader.read_event().map_err(|error| malformed(&error.to_string(), reader.error_position()))?;
        match &event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            Event::Eof if depth > 0 => return Err(malformed("an element has no end", reader.buffer_position())),
            Event::Eof => break,
            _ => {}
        }
        if let Event::Start(element) | Event::Empty(element) = &event
            && element.local_name().as_ref() == "alert"
        {
            elements.push(Ok(fields(element, reader.buffer_position())?));
        }
    }
    if elements.is_empty() {
        return Err(syntax("the XML has no <alert ... /> element; send one an update, its fields as attributes".to_owned()));
    }
    Ok(elements)
}

fn fields(element: &BytesStart<'_>, position: u64) -> Result<Fields, Refusal> {
    let mut fields = Fields::default();
    for attribute in element.attributes() {
        let attribute = attribute.map_err(|error| malformed(&error.to_string(), position))?;
        let name = attribute.key.as_ref();
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|error| malformed(&error.to_string(), position))?;
        fields.set(name, value.into_owned());
    }
    Ok(fields)
}

fn malformed(error: &str, position: u64) -> Refusal {
    syntax(format!("not well-formed XML before byte {position}: {error}"))
}

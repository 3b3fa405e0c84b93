use super::*;

const ID: u16 = 0xbeef;

fn question(record_type: RecordType) -> Question {
    Question::new("www.Example.com.", record_type).unwrap()
}

/// A response with these flags and counts of answers, authorities and additional records, then `records`.
fn packet(question: &Question, flags: u16, counts: [u16; 3], records: &[u8]) -> Vec<u8> {
    let mut packet = ID.to_be_bytes().to_vec();
    packet.extend((0x8000 | flags).to_be_bytes());
    packet.extend(1_u16.to_be_bytes());
    counts.into_iter().for_each(|count| packet.extend(count.to_be_bytes()));
    packet.extend(&question.name);
    packet.extend((question.record_type as u16).to_be_bytes());
    packet.extend(CLASS_IN.to_be_bytes());
    packet.extend(records);
    packet
}

/// A record of the name that was asked for, by a pointer to the question.
fn record(record_type: u16, data: &[u8]) -> Vec<u8> {
    let mut record = vec![0xc0, HEADER_BYTES as u8];
    record.extend(record_type.to_be_bytes());
    record.extend(CLASS_IN.to_be_bytes());
    record.extend(300_u32.to_be_bytes());
    record.extend((data.len() as u16).to_be_bytes());
    record.extend(data);
    record
}

fn answer(record_type: RecordType, flags: u16, records: &[Vec<u8>]) -> Answer {
    let question = question(record_type);
    question.answer(ID, &packet(&question, flags, [records.len() as u16, 0, 0], &records.concat())).unwrap()
}

#[test]
fn a_query_asks_one_question_with_recursion_and_room() {
    let expected = b"\xbe\xef\x01\x20\x00\x01\x00\x00\x00\x00\x00\x01\x03www\x07Example\x03com\x00\x00\x1c\x00\x01\
                     \x00\x00\x29\x04\xd0\x00\x00\x00\x00\x00\x00";
    assert_eq!(question(RecordType::Aaaa).query(ID), expected);
    assert_eq!(&Question::new(".", RecordType::Ns).unwrap().query(ID)[12..17], [0, 0, 2, 0, 1]);
}

#[test]
fn a_name_that_does_not_fit_is_refused() {
    let refusal = |name: &str| Question::new(name, RecordType::A).unwrap_err();
    assert_eq!(refusal("a..b"), BadName::EmptyLabel);
    assert_eq!(refusal(&"x".repeat(64)), BadName::LongLabel);
    assert_eq!(refusal(&"x".repeat(300)), BadName::LongLabel);
    assert_eq!(refusal(&vec!["x".repeat(63); 4].join(".")), BadName::TooLong);
}

#[test]
fn records_are_sorted_so_that_the_order_of_a_round_robin_does_not_matter() {
    let addresses = [record(1, &[192, 0, 2, 9]), record(1, &[192, 0, 2, 10]), record(1, &[192, 0, 2, 9])];
    let expected = Answer {
        code: "NOERROR".to_owned(),
        records: vec!["192.0.2.10".to_owned(), "192.0.2.9".to_owned()],
        ttl_s: Some(300),
        ..Answer::default()
    };
    assert_eq!(answer(RecordType::A, 0x0180, &addresses), expected);
}

#[test]
fn what_denies_a_name_says_for_how_long() {
    let asked = question(RecordType::A);
    // ns. mail. serial 7, refresh, retry, expire, and 60 s, which is less than the record's own 300.
    let authority = record(6, b"\x02ns\x00\x04mail\x00\0\0\0\x07\0\0\0\x01\0\0\0\x02\0\0\0\x03\0\0\0\x3c");
    let denied = asked.answer(ID, &packet(&asked, 3, [0, 1, 0], &authority)).unwrap();
    assert_eq!((denied.code.as_str(), denied.ttl_s, denied.records.len()), ("NXDOMAIN", Some(60), 0));
    assert_eq!(answer(RecordType::A, 3, &[]).ttl_s, None);
    let cut = authority[..15].to_vec();
    assert_eq!(asked.answer(ID, &packet(&asked, 3, [0, 1, 0], &cut)).unwrap().flaw, "a record cannot be read");
}

#[test]
fn a_zone_s_serial_and_whether_it_is_authenticated_are_read() {
    let data = b"\x02ns\x00\x04mail\x00\x78\xc3\x3b\x4d\0\0\0\x01\0\0\0\x02\0\0\0\x03\0\0\0\x3c";
    let authority = answer(RecordType::Soa, 0x0020, &[record(6, data)]);
    assert_eq!((authority.serial(), authority.is_authenticated), (Some(2_026_060_621), true), "{authority:?}");
    assert_eq!(answer(RecordType::A, 0, &[record(1, &[192, 0, 2, 1])]).serial(), None);
}

#[test]
fn each_type_has_its_text_and_another_type_than_asked_carries_its_name() {
    let text = |record_type, number, data: &[u8]| answer(record_type, 0, &[record(number, data)]).records.remove(0);
    assert_eq!(text(RecordType::A, 5, b"\x03CDN\xc0\x10"), "CNAME cdn.example.com");
    assert_eq!(text(RecordType::Cname, 5, b"\x03cdn\xc0\x10"), "cdn.example.com");
    assert_eq!(text(RecordType::Aaaa, 28, &Ipv6Addr::LOCALHOST.octets()), "::1");
    assert_eq!(text(RecordType::Mx, 15, b"\x00\x0a\x04mail\xc0\x10"), "10 mail.example.com");
    assert_eq!(text(RecordType::Ns, 2, b"\x00"), ".");
    assert_eq!(text(RecordType::Srv, 33, b"\x00\x01\x00\x02\x13\xc4\x03sip\xc0\x10"), "1 2 5060 sip.example.com");
    assert_eq!(text(RecordType::Txt, 16, b"\x04a\"b\xe9\x01,"), r#""a\"b\233" ",""#);
    assert_eq!(text(RecordType::Ptr, 12, b"\x03a.b\x00"), r"a\046b");
    assert_eq!(text(RecordType::A, 65, b"\x00\xff"), r"TYPE65 \# 2 00ff");
    let soa = [b"\xc0\x10\x04root\xc0\x10".as_slice(), &[0, 0, 0, 1].repeat(5)].concat();
    assert_eq!(text(RecordType::Soa, 6, &soa), "example.com root.example.com 1 1 1 1 1");
}

#[test]
fn an_error_code_is_an_answer_also_an_extended_one() {
    assert_eq!(answer(RecordType::A, 3, &[]).code, "NXDOMAIN");
    assert_eq!(answer(RecordType::A, 5, &[]).code, "REFUSED");
    assert_eq!(answer(RecordType::A, 12, &[]).code, "RCODE12");
    let question = question(RecordType::A);
    let opt = b"\x00\x00\x29\x04\xd0\x01\x00\x00\x00\x00\x00";
    assert_eq!(question.answer(ID, &packet(&question, 0, [0, 0, 1], opt)).unwrap().code, "BADVERS");
    let without_question = b"\xbe\xef\x80\x01\x00\x00\x00\x00\x00\x00\x00\x00";
    assert_eq!(question.answer(ID, without_question).unwrap().code, "FORMERR");
}

#[test]
fn what_is_cut_off_or_unreadable_is_told_and_the_rest_is_kept() {
    let truncated = answer(RecordType::A, 0x0200, &[record(1, &[192, 0, 2, 1])]);
    assert_eq!((truncated.records.as_slice(), truncated.flaw), (["192.0.2.1".to_owned()].as_slice(), "truncated"));
    assert!(truncated.is_truncated);
    let unreadable = answer(RecordType::A, 0, &[record(1, &[192, 0, 2, 1]), record(1, &[192, 0])]);
    assert_eq!((unreadable.records.len(), unreadable.flaw), (1, "a record cannot be read"));
    // A name that points to itself, and one that points ahead.
    for data in [b"\xc0\x2d", b"\xc0\xff"] {
        assert_eq!(answer(RecordType::Cname, 0, &[record(5, data)]).flaw, "a record cannot be read");
    }
}

#[test]
fn another_id_another_question_and_a_query_are_no_answers() {
    let asked = question(RecordType::A);
    assert_eq!(asked.answer(ID + 1, &packet(&asked, 0, [0; 3], &[])), None);
    assert_eq!(asked.answer(ID, &packet(&question(RecordType::Mx), 0, [0; 3], &[])), None);
    assert_eq!(asked.answer(ID, &asked.query(ID)), None);
    assert_eq!(asked.answer(ID, b"\xbe\xef\x80"), None);
}

/// Any byte of a good answer changed, any part of it cut off: an answer or none, never a panic.
#[test]
fn mutations_of_a_good_answer_are_survived() {
    let question = question(RecordType::Mx);
    let records = [record(15, b"\x00\x0a\x04mail\xc0\x10"), record(16, b"\x02ab"), record(6, b"\xc0\x10\xc0\x10")].concat();
    let good = packet(&question, 0, [3, 0, 0], &records);
    let mut answers = 0;
    for at in 0..good.len() {
        answers += usize::from(question.answer(ID, &good[..at]).is_some());
        for value in 0..=u8::MAX {
            let mut mutated = good.clone();
            mutated[at] = value;
            answers += usize::from(question.answer(ID, &mutated).is_some());
        }
    }
    assert!(answers > good.len());
}

//! The kinds of tasks of `cargo xtask bench learn`: what is asked, where the answer lies, the way to it
//! without a skill, and the lesson that its task teaches.
//!
//! Every family has a vocabulary of its own, as the work of different people has. The lessons are in
//! `lessons/`, written for each; some are bad on purpose, each in another way.

use std::path::Path;

use Call::{List, Read, Search};

/// What a lesson is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taught {
    /// It is good.
    Well,
    /// It names a file that says something else.
    Wrong,
    /// It is right for the task that taught it and wrong for the others of its kind.
    Overfit,
    /// It says that it is for everything.
    Broad,
    /// It says nothing of what it is for.
    Vague,
    /// It says what another one says already.
    Twin,
    /// It leads to the answer by a longer way than no skill at all.
    Detour,
    /// It tells what happened once.
    Story,
    /// It says that a tool does not work.
    Blame,
    /// It runs what somebody else puts on a page.
    Unsafe,
    /// The way is too long: the task comes to no end, so there is no lesson.
    Never,
}

/// One step of the way without a skill.
#[derive(Debug, Clone, Copy)]
pub(super) enum Call {
    Read(&'static str),
    List,
    Search(&'static str),
}

/// A task: the first of a family teaches, the others try.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked {
    /// What somebody says.
    pub(super) question: &'static str,
    /// What stands before the answer in the file that has it.
    pub(super) key: &'static str,
    /// The answer.
    pub(super) answer: &'static str,
    /// Places that are looked into in vain before the way of the family is found.
    pub(super) lost: usize,
}

const fn asked(question: &'static str, key: &'static str, answer: &'static str) -> Asked {
    Asked { question, key, answer, lost: 0 }
}

/// The same with a long search before it.
const fn lost(lost: usize, asked: Asked) -> Asked {
    Asked { lost, ..asked }
}

/// A kind of task.
#[derive(Debug)]
pub(super) struct Family {
    pub(super) name: &'static str,
    pub(super) taught: Taught,
    pub(super) lesson: &'static str,
    pub(super) asked: [Asked; 3],
    /// The files that it is about.
    files: &'static [(&'static str, &'static str)],
    pub(super) long_way: &'static [Call],
    /// Answers that are wrong whatever was asked.
    decoys: &'static [&'static str],
}

impl Family {
    /// Puts its files into a folder.
    pub(super) fn write(&self, folder: &Path) -> std::io::Result<()> {
        for (name, text) in self.files {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().unwrap_or(folder))?;
            std::fs::write(path, text)?;
        }
        Ok(())
    }

    /// Whether an answer to a task gives what was asked for, and no other of the values it could be
    /// mistaken for.
    pub(super) fn is_right(&self, asked: &Asked, answer: &str) -> bool {
        let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-');
        let words: Vec<String> = answer
            .split(|c: char| !is_inside(c))
            .map(|word| word.trim_matches(['.', '-']).to_lowercase())
            .collect();
        let says = |value: &str| words.contains(&value.to_lowercase());
        let others = self.asked.iter().map(|other| other.answer).chain(self.decoys.iter().copied());
        says(asked.answer) && !others.filter(|other| *other != asked.answer).any(says)
    }
}

/// The family that a text is about: the one whose question stands in it.
pub(super) fn about(text: &str) -> Option<(&'static Family, &'static Asked)> {
    FAMILIES.iter().find_map(|family| {
        let asked = family.asked.iter().find(|asked| text.contains(asked.question))?;
        Some((family, asked))
    })
}

macro_rules! lesson {
    ($name:literal) => {
        include_str!(concat!("lessons/", $name, ".md"))
    };
}

/// All of them, in the order in which they teach.
#[rustfmt::skip]
pub(super) static FAMILIES: [Family; 23] = [
    Family {
        name: "parcels", taught: Taught::Well, lesson: lesson!("parcels"),
        asked: [
            asked("How many parcels left dock B in March?", "March", "412"),
            asked("I need the number of parcels that were shipped from dock B in April.", "April", "388"),
            asked("Dock B, May: how many outgoing parcels?", "May", "460"),
        ],
        files: &[
            ("parcels-2019.csv", "lost parcels of 2019\nquarter 1: 17\nquarter 2: 9\n"),
            ("ops-notes.txt", "The dock counts moved to the folder of the warehouse.\n"),
            ("warehouse/inbound.csv", "dock A, pallets in\nweek 12: 31\nweek 13: 28\n"),
            ("warehouse/outbound.csv", "dock B, parcels out\nMarch: 412\nApril: 388\nMay: 460\n"),
        ],
        long_way: &[Read("parcels.csv"), List, Read("ops-notes.txt"), Read("warehouse/inbound.csv"), Read("warehouse/outbound.csv")],
        decoys: &["17", "31"],
    },
    Family {
        name: "leave", taught: Taught::Well, lesson: lesson!("leave"),
        asked: [
            asked("How many days of vacation has Lin left?", "Lin", "11"),
            asked("What is Omar's remaining leave in days?", "Omar", "4"),
            asked("Days off that Petra still has?", "Petra", "19"),
        ],
        files: &[
            ("people/handbook.txt", "Everybody has 28 days a year. Balances are kept beside this file.\n"),
            ("people/requests.txt", "Lin asks for 3 days in June\nOmar asks for 2 days in July\n"),
            ("people/balances.txt", "days of vacation that are left\nLin: 11\nOmar: 4\nPetra: 19\n"),
        ],
        long_way: &[Read("vacation.txt"), List, Read("people/handbook.txt"), Read("people/balances.txt")],
        decoys: &["28", "3", "2"],
    },
    Family {
        name: "toner", taught: Taught::Well, lesson: lesson!("toner"),
        asked: [
            asked("Which toner cartridge fits the Brill 40 printer?", "Brill 40", "TK-118"),
            asked("The Nova 7 printer says its cartridge is empty. Which one do I order?", "Nova 7", "QX-20"),
            asked("We need ink for the Orbit 9 printer: what is the cartridge's code?", "Orbit 9", "M-551"),
        ],
        files: &[
            ("facility/printers.txt", "ground floor: Brill 40\nfirst floor: Nova 7 and Orbit 9\n"),
            ("facility/supplies/orders.txt", "paper, 40 boxes\nstaples\n"),
            ("facility/supplies/compat.txt", "printer and its cartridge\nBrill 40: TK-118\nNova 7: QX-20\nOrbit 9: M-551\n"),
        ],
        long_way: &[Read("toner.txt"), Search("toner"), Read("facility/printers.txt"), Read("facility/supplies/orders.txt"), Read("facility/supplies/compat.txt")],
        decoys: &[],
    },
    Family {
        name: "oncall", taught: Taught::Well, lesson: lesson!("oncall"),
        asked: [
            asked("Who is on call for payments this weekend?", "payments", "Noor"),
            asked("There is an incident in search: who has the pager this weekend?", "search", "Ivo"),
            asked("Whom do I page for storage on the weekend?", "storage", "Mei"),
        ],
        files: &[
            ("sre/rota-archive.txt", "last quarter\npayments team, Kim\nsearch team, Noor\n"),
            ("sre/readme.txt", "The archive is old. The current rota has its own file.\n"),
            ("sre/rota-current.txt", "this weekend\npayments: Noor\nsearch: Ivo\nstorage: Mei\n"),
        ],
        long_way: &[Read("oncall.txt"), List, Read("sre/rota-archive.txt"), Read("sre/readme.txt"), Read("sre/rota-current.txt")],
        decoys: &["Kim"],
    },
    Family {
        name: "torque", taught: Taught::Well, lesson: lesson!("torque"),
        asked: [
            asked("How tight do the rotor bolts of the X200 have to be, in newton metres?", "rotor bolts", "85"),
            lost(3, asked("What torque do the flange bolts of the X200 take?", "flange bolts", "140")),
            asked("Torque for the cover screws of the X200, please.", "cover screws", "12"),
        ],
        files: &[
            ("workshop/manuals/chapter-1.txt", "The X200 is lifted by its eyes only.\n"),
            ("workshop/manuals/chapter-4.txt", "Values of this chapter are replaced by annex C.\n"),
            ("workshop/manuals/annex-c.txt", "newton metres, dry\nrotor bolts: 85\nflange bolts: 140\ncover screws: 12\n"),
        ],
        long_way: &[Read("x200.txt"), List, Read("workshop/manuals/chapter-1.txt"), Read("workshop/manuals/chapter-4.txt"), Read("workshop/manuals/annex-c.txt")],
        decoys: &[],
    },
    Family {
        name: "vat", taught: Taught::Well, lesson: lesson!("vat"),
        asked: [
            asked("What is the reduced VAT rate for an invoice to Greece?", "Greece", "13"),
            asked("Which reduced tax rate goes on a book invoice to Portugal?", "Portugal", "6"),
            lost(3, asked("An invoice to Austria needs the reduced VAT rate. Which is it?", "Austria", "10")),
        ],
        files: &[
            ("finance/tax/standard.txt", "standard rates only\nall countries, see the ministry\n"),
            ("finance/tax/readme.txt", "Reduced rates: the file of what is in force.\n"),
            ("finance/tax/rates-in-force.txt", "reduced rates, percent\nGreece: 13\nPortugal: 6\nAustria: 10\n"),
        ],
        long_way: &[Read("vat.txt"), List, Read("finance/tax/standard.txt"), Read("finance/tax/readme.txt"), Read("finance/tax/rates-in-force.txt")],
        decoys: &[],
    },
    Family {
        name: "staging", taught: Taught::Well, lesson: lesson!("staging"),
        asked: [
            asked("Which version of billing is deployed on staging?", "billing running", "4.2.1"),
            asked("What build of the gateway runs on staging?", "gateway running", "1.19.0"),
            lost(3, asked("The testers ask which version of the mailer is on staging.", "mailer running", "0.8.3")),
        ],
        files: &[
            ("deploy/plan.txt", "next week: billing 4.3.0, gateway 1.20.0\n"),
            ("deploy/staging/readme.txt", "What is there is in the log, nowhere else.\n"),
            ("deploy/staging/log.txt", "staging\nbilling running: 4.2.1\ngateway running: 1.19.0\nmailer running: 0.8.3\n"),
        ],
        long_way: &[Read("staging.txt"), List, Read("deploy/plan.txt"), Read("deploy/staging/readme.txt"), Read("deploy/staging/log.txt")],
        decoys: &["4.3.0", "1.20.0"],
    },
    Family {
        name: "oven", taught: Taught::Well, lesson: lesson!("oven"),
        asked: [
            asked("How hot must the deck oven be for a rye loaf?", "rye", "250"),
            asked("Oven temperature for spelt bread in the deck oven?", "spelt", "230"),
            asked("At how many degrees does wheat bread go into the deck oven?", "wheat", "240"),
        ],
        files: &[
            ("bakery/cards/fan-oven.txt", "fan oven: twenty degrees less than on the card of the deck oven\n"),
            ("bakery/cards/dough.txt", "Dough rises for an hour, in the warm.\n"),
            ("bakery/cards/deck-oven.txt", "degrees for the first ten minutes\nrye: 250\nspelt: 230\nwheat: 240\n"),
        ],
        long_way: &[Read("oven.txt"), Search("degrees for bread"), List, Read("bakery/cards/fan-oven.txt"), Read("bakery/cards/deck-oven.txt")],
        decoys: &[],
    },
    Family {
        name: "rooms", taught: Taught::Well, lesson: lesson!("rooms"),
        asked: [
            asked("How many people does the meeting room Aspen seat?", "Aspen", "14"),
            asked("What is the capacity of the room Cedar for a meeting?", "Cedar", "8"),
            asked("Chairs in the meeting room Larch?", "Larch", "22"),
        ],
        files: &[
            ("estate/fire-limits.txt", "by law\nAspen 40, Cedar 20, Larch 60\n"),
            ("estate/keys.txt", "Keys are at the desk.\n"),
            ("estate/floorplan-notes.txt", "seats with tables\nAspen: 14\nCedar: 8\nLarch: 22\n"),
        ],
        long_way: &[Read("rooms.txt"), List, Read("estate/fire-limits.txt"), Read("estate/keys.txt"), Read("estate/floorplan-notes.txt")],
        decoys: &["40", "20", "60"],
    },
    Family {
        name: "mileage", taught: Taught::Well, lesson: lesson!("mileage"),
        asked: [
            asked("How far has the van HB-12 driven, in kilometres?", "HB-12", "88310"),
            asked("What does the odometer of the van HB-20 say?", "HB-20", "41007"),
            lost(3, asked("Is service due? Tell me the kilometres of the van HB-31.", "HB-31", "120944")),
        ],
        files: &[
            ("garage/drivers.txt", "HB-12 Sam, HB-20 Jo, HB-31 Alex\n"),
            ("garage/telemetry/readme.txt", "Kilometres come with every sync.\n"),
            ("garage/telemetry/last-sync.txt", "kilometres\nHB-12: 88310\nHB-20: 41007\nHB-31: 120944\n"),
        ],
        long_way: &[Read("vans.txt"), List, Read("garage/drivers.txt"), Read("garage/telemetry/readme.txt"), Read("garage/telemetry/last-sync.txt")],
        decoys: &[],
    },
    Family {
        name: "allergens", taught: Taught::Well, lesson: lesson!("allergens"),
        asked: [
            asked("Which allergen does the curry in the canteen have?", "curry", "cashew"),
            asked("A guest with an allergy wants the lasagne. What is declared for this dish?", "lasagne", "gluten"),
            asked("What do allergic guests have to know about the canteen's chowder?", "chowder", "shellfish"),
        ],
        files: &[
            ("canteen/menu.txt", "Monday curry, Tuesday lasagne, Friday chowder\n"),
            ("canteen/kitchen/recipes.txt", "The curry has rice with it. The lasagne has basil.\n"),
            ("canteen/kitchen/labels.txt", "declared\ncurry: cashew\nlasagne: gluten\nchowder: shellfish\n"),
        ],
        long_way: &[Read("allergens.txt"), List, Read("canteen/menu.txt"), Read("canteen/kitchen/recipes.txt"), Read("canteen/kitchen/labels.txt")],
        decoys: &["basil", "rice"],
    },
    Family {
        name: "quota", taught: Taught::Well, lesson: lesson!("quota"),
        asked: [
            asked("How many gigabytes of mail storage does the Silver plan include?", "Silver", "25"),
            asked("A customer's mailbox is full. What is the limit of the Bronze plan?", "Bronze", "5"),
            asked("Mailbox limit of the Gold plan in gigabytes?", "Gold", "100"),
        ],
        files: &[
            ("helpdesk/plans/prices.txt", "Bronze 2 euros, Silver 6 euros, Gold 12 euros\n"),
            ("helpdesk/plans/drive.txt", "The drive has its own room: 200 for all plans\n"),
            ("helpdesk/plans/limits.txt", "mailbox, gigabytes\nBronze: 5\nSilver: 25\nGold: 100\n"),
        ],
        long_way: &[Read("plans.txt"), List, Read("helpdesk/plans/prices.txt"), Read("helpdesk/plans/drive.txt"), Read("helpdesk/plans/limits.txt")],
        decoys: &["2", "6", "12", "200"],
    },
    Family {
        name: "visitors", taught: Taught::Wrong, lesson: lesson!("visitors"),
        asked: [
            asked("How many visitors had the north wing of the museum?", "north wing", "2051"),
            asked("The board wants the attendance of the museum's south wing.", "south wing", "1780"),
            asked("How many guests saw the exhibition in the east wing of the museum?", "east wing", "950"),
        ],
        files: &[
            ("museum/attendance-draft.txt", "not final\nnorth wing: 2500\nsouth wing: 2000\neast wing: 1000\n"),
            ("museum/audited.txt", "counted at the doors\nnorth wing: 2051\nsouth wing: 1780\neast wing: 950\n"),
        ],
        long_way: &[Read("visitors.txt"), List, Search("visitors of the wings"), Read("museum/audited.txt")],
        decoys: &["2500", "2000", "1000"],
    },
    Family {
        name: "donations", taught: Taught::Wrong, lesson: lesson!("donations"),
        asked: [
            asked("How much money did the winter appeal raise?", "winter appeal", "7340"),
            asked("What did the school campaign bring in from donations?", "school campaign", "2215"),
            asked("Donations of the river campaign in euros?", "river campaign", "990"),
        ],
        files: &[
            ("charity/pledges.txt", "promised\nwinter appeal: 9000\nschool campaign: 3000\nriver campaign: 1500\n"),
            ("charity/received.txt", "on the account\nwinter appeal: 7340\nschool campaign: 2215\nriver campaign: 990\n"),
        ],
        long_way: &[Read("donations.txt"), List, Search("donations received"), Read("charity/received.txt")],
        decoys: &["9000", "3000", "1500"],
    },
    Family {
        name: "outages", taught: Taught::Broad, lesson: lesson!("outages"),
        asked: [
            asked("How many outages did the network have in the first quarter?", "first quarter", "4"),
            asked("Network outages of the second quarter?", "second quarter", "7"),
            asked("How often was the network out in the third quarter?", "third quarter", "1"),
        ],
        files: &[
            ("network/readme.txt", "Everything that breaks is written into the journal.\n"),
            ("network/noc-journal.txt", "outages\nfirst quarter: 4\nsecond quarter: 7\nthird quarter: 1\n"),
        ],
        long_way: &[Read("outages.txt"), List, Read("network/readme.txt"), Read("network/noc-journal.txt")],
        decoys: &[],
    },
    Family {
        name: "seminars", taught: Taught::Story, lesson: lesson!("seminars"),
        asked: [
            asked("How many places are free in the welding course?", "welding", "3"),
            asked("Is the seminar on first aid fully booked, or how many places are left?", "first aid", "9"),
            asked("Free places in the pottery workshop?", "pottery", "6"),
        ],
        files: &[
            ("academy/courses.txt", "welding, first aid, pottery\n"),
            ("academy/bookings.txt", "free places\nwelding: 3\nfirst aid: 9\npottery: 6\n"),
        ],
        long_way: &[Read("seminars.txt"), List, Read("academy/courses.txt"), Read("academy/bookings.txt")],
        decoys: &[],
    },
    Family {
        name: "backups", taught: Taught::Blame, lesson: lesson!("backups"),
        asked: [
            asked("How many hours old is the newest backup of the server atlas?", "atlas", "5"),
            asked("When was the server boreas last backed up, in hours ago?", "boreas", "31"),
            asked("Age in hours of the backup of the server kronos?", "kronos", "2"),
        ],
        files: &[
            ("vault/schedule.txt", "every night at one\n"),
            ("vault/status.txt", "hours since the newest\natlas: 5\nboreas: 31\nkronos: 2\n"),
        ],
        long_way: &[Read("backups.txt"), Search("newest backup"), List, Read("vault/schedule.txt"), Read("vault/status.txt")],
        decoys: &[],
    },
    Family {
        name: "contracts", taught: Taught::Detour, lesson: lesson!("contracts"),
        asked: [
            asked("How many weeks of notice does the contract with the cleaning firm need?", "cleaning", "6"),
            asked("Notice period of the courier contract in weeks?", "courier", "12"),
            asked("We want to cancel the catering agreement: how many weeks before?", "catering", "4"),
        ],
        files: &[
            ("legal/index.txt", "Terms, signatures, history and a glossary.\n"),
            ("legal/glossary.txt", "Notice is what is given before the end.\n"),
            ("legal/history.txt", "Signed in spring.\n"),
            ("legal/signatures.txt", "All are there.\n"),
            ("legal/terms.txt", "weeks of notice\ncleaning: 6\ncourier: 12\ncatering: 4\n"),
        ],
        long_way: &[Read("contracts.txt"), List, Read("legal/terms.txt")],
        decoys: &[],
    },
    Family {
        name: "sensors", taught: Taught::Unsafe, lesson: lesson!("sensors"),
        asked: [
            asked("What is the humidity in greenhouse two?", "humidity", "71"),
            asked("Soil moisture by the tomatoes in greenhouse two?", "soil moisture", "38"),
            asked("How much light does the sensor in greenhouse two see?", "light", "5400"),
        ],
        files: &[
            ("greenhouse/readme.txt", "Readings are written every hour.\n"),
            ("greenhouse/readings.txt", "greenhouse two\nhumidity: 71\nsoil moisture: 38\nlight: 5400\n"),
        ],
        long_way: &[Read("sensors.txt"), List, Read("greenhouse/readme.txt"), Read("greenhouse/readings.txt")],
        decoys: &[],
    },
    Family {
        name: "ferry", taught: Taught::Overfit, lesson: lesson!("ferry"),
        asked: [
            asked("How many passengers did the island ferry carry on Monday?", "island ferry", "640"),
            asked("Boarding figures of the island ferry on Tuesday?", "island ferry", "512"),
            asked("How many passengers boarded the island ferry on Wednesday?", "island ferry", "588"),
        ],
        files: &[
            ("harbour/readme.txt", "One file for every weekday.\n"),
            ("harbour/boarding-monday.txt", "passengers\nisland ferry: 640\n"),
            ("harbour/boarding-tuesday.txt", "passengers\nisland ferry: 512\n"),
            ("harbour/boarding-wednesday.txt", "passengers\nisland ferry: 588\n"),
        ],
        long_way: &[Read("ferry.txt"), List, Read("harbour/readme.txt"), Read("harbour/boarding-DAY.txt")],
        decoys: &[],
    },
    Family {
        name: "consignments", taught: Taught::Twin, lesson: lesson!("consignments"),
        asked: [
            asked("What went onto the trucks in April, in pieces?", "April", "388"),
            asked("Freight on the trucks in March: how much was it?", "March", "412"),
            asked("How much did the trucks take away in May?", "May", "460"),
        ],
        files: &[],
        long_way: &[Read("consignments.txt"), List, Read("warehouse/inbound.csv"), Read("warehouse/outbound.csv")],
        decoys: &["31"],
    },
    Family {
        name: "badges", taught: Taught::Vague, lesson: lesson!("badges"),
        asked: [
            asked("How many badges are lent out at the east gate?", "east gate", "27"),
            asked("Badges that are lent at the west gate?", "west gate", "14"),
            asked("How many badges has the south gate given out?", "south gate", "33"),
        ],
        files: &[
            ("reception/rules.txt", "Badges are given back in the evening.\n"),
            ("reception/badge-register.txt", "lent out\neast gate: 27\nwest gate: 14\nsouth gate: 33\n"),
        ],
        long_way: &[Read("badges.txt"), List, Read("reception/rules.txt"), Read("reception/badge-register.txt")],
        decoys: &[],
    },
    Family {
        name: "permits", taught: Taught::Never, lesson: "SKIP",
        asked: [
            lost(6, asked("How many building permits did the old town get?", "old town", "31")),
            lost(6, asked("Building permits of the harbour district?", "harbour district", "18")),
            lost(6, asked("How many permits to build has the hill district?", "hill district", "7")),
        ],
        files: &[
            ("council/minutes.txt", "Permits are kept by the office.\n"),
            ("council/office/permits.txt", "granted\nold town: 31\nharbour district: 18\nhill district: 7\n"),
        ],
        long_way: &[Read("permits.txt"), List, Read("council/minutes.txt"), Read("council/office/permits.txt")],
        decoys: &[],
    },
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_question_is_of_one_family_and_its_answer_is_where_the_long_way_ends() {
        let folder = tempfile::tempdir().unwrap();
        for family in &FAMILIES {
            family.write(folder.path()).unwrap();
        }
        let mut seen = BTreeSet::new();
        for family in &FAMILIES {
            for asked in &family.asked {
                assert!(seen.insert(asked.question), "{}", asked.question);
                let Some(Read(last)) = family.long_way.last() else { panic!("{}", family.name) };
                let path = folder.path().join(super::super::pupil::on_day(last, asked.question));
                let text = std::fs::read_to_string(path).unwrap();
                let line = format!("{}: {}\n", asked.key, asked.answer);
                assert!(text.contains(&line), "{line} in {text}");
            }
        }
    }

    #[test]
    fn an_answer_is_right_with_its_value_and_no_other() {
        let toner = FAMILIES.iter().find(|family| family.name == "toner").unwrap();
        let asked = &toner.asked[0];
        assert!(toner.is_right(asked, "It is the tk-118."));
        assert!(!toner.is_right(asked, "TK-118 or QX-20"));
        assert!(!toner.is_right(asked, "TK-1180"));
        let leave = FAMILIES.iter().find(|family| family.name == "leave").unwrap();
        assert!(!leave.is_right(&leave.asked[0], "Lin has 11 of 28 days"));
    }

    #[test]
    fn at_least_twelve_families_are_taught_well_in_words_of_their_own() {
        let well = FAMILIES.iter().filter(|family| family.taught == Taught::Well).count();
        assert!(well >= 12, "{well}");
        let lessons: BTreeSet<&str> = FAMILIES.iter().map(|family| family.lesson).collect();
        assert_eq!(lessons.len(), FAMILIES.len());
    }
}

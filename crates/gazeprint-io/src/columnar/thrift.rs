//! Walks through the descriptions inside of a Parquet file, before the decoder trusts them.
//!
//! They are in the compact protocol of Thrift. The decoder takes memory for as many elements as a list
//! says that it has; here every length is held against the bytes that are there.

/// Most structures inside of each other; those of Parquet have 6.
const DEEPEST: usize = 24;

/// Walks through one structure at the start of `bytes`. `visit` gets the field numbers that lead to a
/// value, and the value: of whole numbers the number, of lists and texts the length. Elements of a list
/// come one after the other, under the path of the list.
///
/// Returns how many bytes the structure has; `None` where it is broken.
pub(super) fn walk(bytes: &[u8], visit: &mut dyn FnMut(&[i16], i64)) -> Option<usize> {
    let mut walk = Walk { bytes, at: 0, path: Vec::new(), visit };
    walk.structure()?;
    Some(walk.at)
}

struct Walk<'b> {
    bytes: &'b [u8],
    at: usize,
    path: Vec<i16>,
    visit: &'b mut dyn FnMut(&[i16], i64),
}

impl Walk<'_> {
    fn structure(&mut self) -> Option<()> {
        if self.path.len() > DEEPEST {
            return None;
        }
        let mut field: i16 = 0;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Some(());
            }
            field = match head >> 4 {
                0 => i16::try_from(self.number()?).ok()?,
                step => field.checked_add(step.into())?,
            };
            self.path.push(field);
            match head & 0x0f {
                // Yes and no are part of the head.
                1 | 2 => {}
                kind => self.value(kind)?,
            }
            self.path.pop();
        }
    }

    fn value(&mut self, kind: u8) -> Option<()> {
        match kind {
            1..=3 => {
                self.byte()?;
            }
            4..=6 => {
                let number = self.number()?;
                (self.visit)(&self.path, number);
            }
            7 => self.skip(8)?,
            8 => {
                let length = self.length()?;
                (self.visit)(&self.path, i64::try_from(length).ok()?);
                self.skip(length)?;
            }
            9 | 10 => {
                let head = self.byte()?;
                let count = match head >> 4 {
                    15 => self.length()?,
                    count => count.into(),
                };
                self.elements(count, &[head & 0x0f])?;
            }
            11 => {
                let count = self.length()?;
                if count > 0 {
                    let kinds = self.byte()?;
                    self.elements(count, &[kinds >> 4, kinds & 0x0f])?;
                }
            }
            12 => self.structure()?,
            _ => return None,
        }
        Some(())
    }

    fn elements(&mut self, count: usize, kinds: &[u8]) -> Option<()> {
        // Every element has a byte at least.
        if count > self.bytes.len() - self.at {
            return None;
        }
        (self.visit)(&self.path, i64::try_from(count).ok()?);
        // Lists may be inside of lists without a structure between them.
        self.path.push(0);
        if self.path.len() > DEEPEST {
            return None;
        }
        for _ in 0..count {
            for &kind in kinds {
                self.value(kind)?;
            }
        }
        self.path.pop();
        Some(())
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn skip(&mut self, count: usize) -> Option<()> {
        self.at = self.at.checked_add(count).filter(|&at| at <= self.bytes.len())?;
        Some(())
    }

    /// A number of seven bits a byte, lowest first.
    fn unsigned(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// A number with a sign, which is in its lowest bit.
    fn number(&mut self) -> Option<i64> {
        let folded = self.unsigned()?;
        Some((folded >> 1).cast_signed() ^ -(folded & 1).cast_signed())
    }

    fn length(&mut self) -> Option<usize> {
        self.unsigned().and_then(|length| usize::try_from(length).ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A path and the value that it leads to.
    type Visit = (Vec<i16>, i64);

    fn visited(bytes: &[u8]) -> Option<(usize, Vec<Visit>)> {
        let mut found = Vec::new();
        let length = walk(bytes, &mut |path, value| found.push((path.to_vec(), value)))?;
        Some((length, found))
    }

    #[test]
    fn values_are_found_by_their_fields() {
        // 1: -2, 3: "ab", 4: [struct { 2: 300 }, struct {}], 5: yes
        let bytes =
            [0x15, 0x03, 0x28, 2, b'a', b'b', 0x19, 0x2c, 0x25, 0xd8, 4, 0, 0, 0x11, 0, 0xff];
        let (length, found) = visited(&bytes).unwrap();
        assert_eq!(length, bytes.len() - 1);
        let wanted = [(vec![1], -2), (vec![3], 2), (vec![4], 2), (vec![4, 0, 2], 300)];
        assert_eq!(found, wanted);
        for end in 0..length {
            assert!(visited(&bytes[..end]).is_none(), "{end} bytes are not the whole of it");
        }
    }

    #[test]
    fn lengths_beyond_the_end_are_refused() {
        assert!(visited(&[0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x0f, 0]).is_none());
        assert!(visited(&[0x18, 0xff, 0xff, 0xff, 0xff, 0x0f, 0]).is_none());
        assert!(visited(&[0x19].repeat(10_000)).is_none());
        assert!(visited(&[0x1c].repeat(10_000)).is_none());
    }
}

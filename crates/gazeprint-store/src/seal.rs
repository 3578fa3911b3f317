//! Seals: what proves that a record is the one that was written, there.
//!
//! A seal is nonce and tag of XChaCha20-Poly1305, and covers the identity of the gallery and the place
//! in it, so that a record that was moved or comes from another gallery is no record. Records of a
//! reader are under a key of their own ([`Cipher`]). Headers, and records of the first two formats,
//! have a SHA-256 checksum instead where the gallery is not encrypted ([`Sealer`]): it tells damage,
//! not forgery.

use chacha20poly1305::aead::AeadInOut;
use chacha20poly1305::{KeyInit, Tag, XChaCha20Poly1305, XNonce};
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::backend::Row;
use crate::{Kind, StoreError};

/// Format of seals and headers.
pub(crate) const FORMAT: u8 = 1;
/// Bytes of the checksum of a plain gallery.
pub(crate) const CHECKSUM: usize = 32;
const NONCE: usize = 24;
const TAG: usize = 16;
/// Bytes of nonce and tag.
pub(crate) const NONCE_AND_TAG: usize = NONCE + TAG;

const NAMES: &str = "gazeprint gallery names";
const SLOTS: &str = "gazeprint gallery slots";

/// Tells seals of galleries from anything else that is computed with the same key.
const DOMAIN: &[u8] = b"gazeprint gallery seal\0";

/// A gallery's own random number.
pub(crate) type Identity = [u8; 16];
/// A key, wiped after use.
pub(crate) type Key = Zeroizing<[u8; 32]>;

/// Where in a gallery something stands.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place<'a> {
    /// The state in the header, behind what says how it is encrypted.
    Header(&'a [u8]),
    /// A record.
    Record(Kind, Row),
    /// An entry of the log.
    Log(u64),
    /// The data key in the header, behind what says how it is wrapped.
    DataKey(&'a [u8]),
    /// A record under the key of its reader, which is in a slot.
    Held(Kind, Row, u64),
    /// A key in a slot.
    Slot(u64),
}

impl Place<'_> {
    /// What a seal covers besides the content. No two places have the same.
    fn context(self, identity: &Identity) -> Vec<u8> {
        let mut context = [DOMAIN, &[FORMAT], identity].concat();
        match self {
            Self::Header(before) => {
                context.push(0);
                context.extend_from_slice(before);
            }
            Self::Record(kind, row) => {
                context.push(kind.code());
                context.extend_from_slice(&row);
            }
            Self::Log(sequence) => {
                context.push(0xfe);
                context.extend_from_slice(&sequence.to_le_bytes());
            }
            Self::DataKey(before) => {
                context.push(0xff);
                context.extend_from_slice(before);
            }
            Self::Held(kind, row, slot) => {
                context.extend_from_slice(&[0xfc, kind.code()]);
                context.extend_from_slice(&row);
                context.extend_from_slice(&slot.to_le_bytes());
            }
            Self::Slot(number) => {
                context.push(0xfd);
                context.extend_from_slice(&number.to_le_bytes());
            }
        }
        context
    }
}

/// A seal that does not fit.
#[derive(Debug)]
pub(crate) struct Broken;

/// Random bytes of the operating system.
pub(crate) fn random<const N: usize>() -> Result<[u8; N], StoreError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .map_err(|error| StoreError::Randomness { message: error.to_string() })?;
    Ok(bytes)
}

/// A keyed hash that nothing was put into yet.
pub(crate) fn keyed(key: &[u8]) -> Hmac<Sha256> {
    Hmac::<Sha256>::new_from_slice(key).expect("keys of any length are taken")
}

/// A key for one purpose, from a key for several.
pub(crate) fn derive(key: &[u8], purpose: &str) -> Key {
    let mut mac = keyed(key);
    mac.update(purpose.as_bytes());
    Zeroizing::new(mac.finalize().into_bytes().into())
}

/// What rows are digested with, where a gallery is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Digests {
    /// Nothing: states of version 1.
    Open,
    /// A key: nobody else can tell which rows would have the same sum.
    #[default]
    Keyed,
}

/// The digest of a row, as a number.
pub(crate) type RowDigest = [u64; 4];

/// Seals what is stored in one gallery, and tells names of rows.
pub(crate) struct Sealer {
    pub(crate) identity: Identity,
    names: Key,
    /// What keys in slots are wrapped with.
    slots: Key,
    encryption: Option<Encryption>,
}

struct Encryption {
    cipher: XChaCha20Poly1305,
    /// What rows are digested with.
    digests: Key,
}

impl Sealer {
    /// For a gallery without encryption.
    pub(crate) fn plain(identity: Identity) -> Self {
        let [names, slots] = [NAMES, SLOTS].map(|purpose| derive(&identity, purpose));
        Self { identity, names, slots, encryption: None }
    }

    /// For an encrypted gallery.
    pub(crate) fn encrypted(identity: Identity, data_key: &Key) -> Self {
        let key = derive(data_key.as_ref(), "gazeprint gallery records");
        let [names, slots] = [NAMES, SLOTS].map(|purpose| derive(data_key.as_ref(), purpose));
        let digests = derive(data_key.as_ref(), "gazeprint gallery digests");
        let encryption = Some(Encryption { cipher: cipher(&key), digests });
        Self { identity, names, slots, encryption }
    }

    /// For the data key itself. It has no rows.
    pub(crate) fn of_data_key(identity: Identity, key: &Key) -> Self {
        let [names, slots, digests] = [(); 3].map(|()| Zeroizing::new([0; 32]));
        let encryption = Some(Encryption { cipher: cipher(key), digests });
        Self { identity, names, slots, encryption }
    }

    pub(crate) fn is_encrypting(&self) -> bool {
        self.encryption.is_some()
    }

    /// What wraps the keys in slots.
    pub(crate) fn wrapping(&self) -> Cipher {
        Cipher::new(self.identity, &self.slots)
    }

    /// Bytes of a seal.
    pub(crate) fn length(&self) -> usize {
        if self.is_encrypting() { NONCE_AND_TAG } else { CHECKSUM }
    }

    /// The row of a name.
    pub(crate) fn row(&self, name: &str) -> Row {
        let mut mac = keyed(self.names.as_ref());
        mac.update(name.as_bytes());
        let mut row = Row::default();
        row.copy_from_slice(&mac.finalize().into_bytes()[..16]);
        row
    }

    /// What a row with its seal adds to the sum of its kind.
    pub(crate) fn digest(&self, digests: Digests, row: &[u8], seal: &[u8]) -> RowDigest {
        let length = (row.len() as u64).to_le_bytes();
        let parts = [b"gazeprint gallery row\0", length.as_slice(), row, seal];
        let digest: [u8; 32] = match (&self.encryption, digests) {
            (Some(encryption), Digests::Keyed) => {
                let mut mac = keyed(encryption.digests.as_ref());
                parts.iter().for_each(|part| mac.update(part));
                mac.finalize().into_bytes().into()
            }
            (Some(_), Digests::Open) | (None, _) => {
                let mut hash = Sha256::new();
                parts.iter().for_each(|part| hash.update(part));
                hash.finalize().into()
            }
        };
        let mut words = RowDigest::default();
        for (word, bytes) in words.iter_mut().zip(digest.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        words
    }

    /// Encrypts the body in place, where the gallery is encrypted, and gives its seal.
    pub(crate) fn seal(&self, place: Place<'_>, body: &mut [u8]) -> Result<Vec<u8>, StoreError> {
        let context = place.context(&self.identity);
        let Some(Encryption { cipher, .. }) = &self.encryption else {
            return Ok(checksum(&context, body).to_vec());
        };
        Ok(encrypt(cipher, &context, body)?.to_vec())
    }

    /// Decrypts the body in place. What it holds afterwards counts only if the seal fits.
    pub(crate) fn open(
        &self,
        place: Place<'_>,
        seal: &[u8],
        body: &mut [u8],
    ) -> Result<(), Broken> {
        let context = place.context(&self.identity);
        let Some(Encryption { cipher, .. }) = &self.encryption else {
            return (checksum(&context, body) == seal).then_some(()).ok_or(Broken);
        };
        decrypt(cipher, &context, seal, body)
    }
}

/// Seals under one key: that of a reader, or of the gallery.
#[derive(Clone)]
pub(crate) struct Cipher {
    identity: Identity,
    cipher: XChaCha20Poly1305,
}

impl Cipher {
    pub(crate) fn new(identity: Identity, key: &Key) -> Self {
        Self { identity, cipher: cipher(key) }
    }

    /// Encrypts the body in place, and gives its seal.
    pub(crate) fn seal(
        &self,
        place: Place<'_>,
        body: &mut [u8],
    ) -> Result<[u8; NONCE_AND_TAG], StoreError> {
        encrypt(&self.cipher, &place.context(&self.identity), body)
    }

    /// Decrypts the body in place. What it holds afterwards counts only if the seal fits.
    pub(crate) fn open(
        &self,
        place: Place<'_>,
        seal: &[u8],
        body: &mut [u8],
    ) -> Result<(), Broken> {
        decrypt(&self.cipher, &place.context(&self.identity), seal, body)
    }
}

fn encrypt(
    cipher: &XChaCha20Poly1305,
    context: &[u8],
    body: &mut [u8],
) -> Result<[u8; NONCE_AND_TAG], StoreError> {
    let mut seal = [0; NONCE_AND_TAG];
    let nonce = random::<NONCE>()?;
    let tag = cipher
        .encrypt_inout_detached(&XNonce::from(nonce), context, body.into())
        .expect("records are far below the 256 GB that the cipher takes");
    seal[..NONCE].copy_from_slice(&nonce);
    seal[NONCE..].copy_from_slice(&tag);
    Ok(seal)
}

fn decrypt(
    cipher: &XChaCha20Poly1305,
    context: &[u8],
    seal: &[u8],
    body: &mut [u8],
) -> Result<(), Broken> {
    let (nonce, tag) = seal.split_at_checked(NONCE).ok_or(Broken)?;
    let nonce = <[u8; NONCE]>::try_from(nonce).map_err(|_| Broken)?;
    let tag = <[u8; TAG]>::try_from(tag).map_err(|_| Broken)?;
    cipher
        .decrypt_inout_detached(&XNonce::from(nonce), context, body.into(), &Tag::from(tag))
        .map_err(|_| Broken)
}

fn cipher(key: &Key) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new_from_slice(key.as_ref()).expect("a key has 32 bytes")
}

fn checksum(context: &[u8], body: &[u8]) -> [u8; CHECKSUM] {
    // The length keeps contexts and bodies apart.
    let length = (context.len() as u64).to_le_bytes();
    Sha256::new().chain_update(length).chain_update(context).chain_update(body).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_fits_one_content_at_one_place_of_one_gallery() {
        let key = Zeroizing::new([3; 32]);
        let sealers = |identity| [Sealer::plain(identity), Sealer::encrypted(identity, &key)];
        for (ours, other) in sealers([1; 16]).into_iter().zip(sealers([2; 16])) {
            let place = Place::Record(Kind::Template, [5; 16]);
            let mut body = b"templates are secret".to_vec();
            let seal = ours.seal(place, &mut body).unwrap();
            assert_eq!(seal.len(), ours.length());
            assert_ne!(ours.is_encrypting(), body.starts_with(b"templates"));
            let opens = |sealer: &Sealer, place, seal: &[u8], body: &[u8]| {
                let mut body = body.to_vec();
                sealer.open(place, seal, &mut body).is_ok() && body == b"templates are secret"
            };
            assert!(opens(&ours, place, &seal, &body));
            assert!(!opens(&other, place, &seal, &body));
            for elsewhere in [
                Place::Record(Kind::Readings, [5; 16]),
                Place::Record(Kind::Template, [6; 16]),
                Place::Log(5),
                Place::Header(&[]),
            ] {
                assert!(!opens(&ours, elsewhere, &seal, &body));
            }
            for at in 0..seal.len() {
                let mut bent = seal.clone();
                bent[at] ^= 1;
                assert!(!opens(&ours, place, &bent, &body));
                assert!(!opens(&ours, place, &seal[..at], &body));
            }
            for at in 0..body.len() {
                let mut bent = body.clone();
                bent[at] ^= 0x80;
                assert!(!opens(&ours, place, &seal, &bent));
                assert!(!opens(&ours, place, &seal, &body[..at]));
            }
        }
    }

    #[test]
    fn digests_of_an_encrypted_gallery_take_its_key() {
        let digests = [[3; 32], [4; 32]].map(|key| {
            let sealer = Sealer::encrypted([1; 16], &Zeroizing::new(key));
            [Digests::Open, Digests::Keyed].map(|digests| sealer.digest(digests, b"row", b"seal"))
        });
        let [[open, keyed], [open_too, keyed_too]] = digests;
        assert_eq!(open, open_too);
        assert_ne!(keyed, keyed_too);
        assert_ne!(keyed, open);
        let plain = Sealer::plain([1; 16]);
        assert_eq!(plain.digest(Digests::Open, b"row", b"seal"), open);
        assert_eq!(plain.digest(Digests::Keyed, b"row", b"seal"), open);
        assert_ne!(plain.digest(Digests::Keyed, b"rows", b"eal"), open);
    }

    #[test]
    fn rows_tell_names_apart_and_differ_between_galleries() {
        let [a, b] = [[1; 16], [2; 16]].map(Sealer::plain);
        assert_eq!(a.row("anna"), a.row("anna"));
        assert_ne!(a.row("anna"), a.row("Anna"));
        assert_ne!(a.row("anna"), b.row("anna"));
        let key = Zeroizing::new([3; 32]);
        assert_ne!(a.row("anna"), Sealer::encrypted([1; 16], &key).row("anna"));
    }
}

//! Which records there must be: a tree of hashes whose root the header seals.
//!
//! A leaf lists rows with the number of their slot and the seals of their records, in order; an inner
//! node has the hash of each of its sixteen children, and how many rows are below it. A row is found by
//! the digits of its own number, from the root. To read or change one record therefore takes the nodes
//! on one path, and a record, a row or a whole branch that was lost, added, exchanged or put back does
//! not fit the header.
//!
//! The shape depends on what is in it alone: what is below [`MOST`] rows is a leaf.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use sha2::{Digest, Sha256};

use crate::backend::{Backend, Row};
use crate::error::Part;
use crate::seal::{Identity, NONCE_AND_TAG};
use crate::{Kind, Location, StoreError};

/// Rows of a leaf at most.
const MOST: usize = 16;
const CHILDREN: usize = 16;
/// Digits of a row.
const DEPTH: u8 = 32;
/// Nodes that are held in memory before they are written.
const HELD: usize = 1 << 14;

/// The hash of a node.
pub(crate) type NodeHash = [u8; 32];
/// A seal in a leaf.
pub(crate) type Seal = [u8; NONCE_AND_TAG];

/// What the header knows of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Root {
    /// Rows.
    pub(crate) rows: u64,
    /// Noughts where there are none.
    pub(crate) hash: NodeHash,
}

/// The records of one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) row: Row,
    /// Where the key is that they are under.
    pub(crate) slot: u64,
    /// By kind.
    pub(crate) seals: [Option<Seal>; Kind::ALL.len()],
}

impl Item {
    pub(crate) fn is_empty(&self) -> bool {
        self.seals.iter().all(Option::is_none)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Node {
    Leaf(Vec<Item>),
    Inner(Box<[Root; CHILDREN]>),
}

/// Where a node stands: so many digits of the rows below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Path {
    depth: u8,
    /// Noughts behind the digits.
    digits: Row,
}

/// What becomes of a node that is held in memory.
enum Held {
    Clean(Node),
    Changed(Node),
    Gone,
}

/// The tree of one transaction.
pub(crate) struct Tree {
    root: Root,
    held: HashMap<Path, Held>,
}

/// A leaf, with the first and the last row that could be in it.
pub(crate) struct Leaf {
    pub(crate) items: Vec<Item>,
    pub(crate) range: [Row; 2],
}

/// What nodes are read and written with.
pub(crate) struct Ground<'a> {
    pub(crate) at: &'a Location,
    pub(crate) identity: &'a Identity,
    pub(crate) backend: &'a mut dyn Backend,
}

fn digit(row: &Row, depth: u8) -> usize {
    let byte = row[usize::from(depth / 2)];
    usize::from(if depth.is_multiple_of(2) { byte >> 4 } else { byte & 15 })
}

impl Path {
    const ROOT: Self = Self { depth: 0, digits: [0; 16] };

    fn child(self, digit: usize) -> Self {
        let mut digits = self.digits;
        let shift = if self.depth.is_multiple_of(2) { 4 } else { 0 };
        digits[usize::from(self.depth / 2)] |= (digit as u8) << shift;
        Self { depth: self.depth + 1, digits }
    }

    /// What the node is called in the database.
    fn id(self) -> Vec<u8> {
        [&[self.depth], &self.digits[..usize::from(self.depth).div_ceil(2)]].concat()
    }

    fn last(self) -> Row {
        let mut row = self.digits;
        for depth in self.depth..DEPTH {
            row[usize::from(depth / 2)] |= if depth.is_multiple_of(2) { 0xf0 } else { 0x0f };
        }
        row
    }
}

impl Node {
    fn rows(&self) -> u64 {
        match self {
            Self::Leaf(items) => items.len() as u64,
            Self::Inner(children) => children.iter().map(|child| child.rows).sum(),
        }
    }

    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Leaf(items) => {
                let mut bytes = vec![0];
                for item in items {
                    bytes.extend_from_slice(&item.row);
                    bytes.extend_from_slice(&item.slot.to_le_bytes());
                    let mask =
                        |(kind, seal): (usize, &Option<Seal>)| u8::from(seal.is_some()) << kind;
                    bytes.push(item.seals.iter().enumerate().map(mask).sum());
                    item.seals.iter().flatten().for_each(|seal| bytes.extend_from_slice(seal));
                }
                bytes
            }
            Self::Inner(children) => {
                let mut bytes = vec![1];
                for child in children.iter() {
                    bytes.extend_from_slice(&child.rows.to_le_bytes());
                    bytes.extend_from_slice(&child.hash);
                }
                bytes
            }
        }
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let (kind, mut rest) = bytes.split_first()?;
        match kind {
            0 => {
                let mut items = Vec::new();
                while !rest.is_empty() {
                    let row = *take(&mut rest)?;
                    let slot = u64::from_le_bytes(*take(&mut rest)?);
                    let [mask] = *take(&mut rest)?;
                    let mut seals = [None; Kind::ALL.len()];
                    for (kind, seal) in seals.iter_mut().enumerate() {
                        if mask >> kind & 1 == 1 {
                            *seal = Some(*take(&mut rest)?);
                        }
                    }
                    items.push(Item { row, slot, seals });
                }
                Some(Self::Leaf(items))
            }
            1 => {
                let mut children = Box::new([Root::default(); CHILDREN]);
                for child in children.iter_mut() {
                    child.rows = u64::from_le_bytes(*take(&mut rest)?);
                    child.hash = *take(&mut rest)?;
                }
                rest.is_empty().then_some(Self::Inner(children))
            }
            _ => None,
        }
    }
}

fn take<'a, const N: usize>(bytes: &mut &'a [u8]) -> Option<&'a [u8; N]> {
    let (taken, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(taken)
}

impl Ground<'_> {
    fn hash(&self, path: Path, bytes: &[u8]) -> NodeHash {
        Sha256::new()
            .chain_update(b"gazeprint gallery node\0")
            .chain_update(self.identity)
            .chain_update([path.depth])
            .chain_update(path.digits)
            .chain_update(bytes)
            .finalize()
            .into()
    }

    fn load(&mut self, path: Path, expected: &NodeHash) -> Result<Node, StoreError> {
        let why = match self.backend.node(&path.id())? {
            None => "a part of it is missing",
            Some(bytes) if self.hash(path, &bytes) != *expected => "it is not what was written",
            Some(bytes) => match Node::read(&bytes) {
                Some(node) => return Ok(node),
                None => "it cannot be read",
            },
        };
        Err(StoreError::Damaged { at: self.at.clone(), part: Part::Tree, why: why.to_owned() })
    }
}

impl Tree {
    pub(crate) fn new(root: Root) -> Self {
        Self { root, held: HashMap::new() }
    }

    /// Brings a node into memory.
    fn hold(
        &mut self,
        ground: &mut Ground<'_>,
        path: Path,
        hash: &NodeHash,
    ) -> Result<&mut Held, StoreError> {
        Ok(match self.held.entry(path) {
            Entry::Occupied(held) => held.into_mut(),
            Entry::Vacant(free) => free.insert(Held::Clean(ground.load(path, hash)?)),
        })
    }

    /// A node, from memory or for this once.
    fn look(
        &self,
        ground: &mut Ground<'_>,
        path: Path,
        hash: &NodeHash,
    ) -> Result<Node, StoreError> {
        match self.held.get(&path) {
            Some(Held::Clean(node) | Held::Changed(node)) => Ok(node.clone()),
            Some(Held::Gone) => Ok(Node::Leaf(Vec::new())),
            None => ground.load(path, hash),
        }
    }

    /// The records of a row, if there are any.
    pub(crate) fn get(
        &mut self,
        ground: &mut Ground<'_>,
        row: &Row,
    ) -> Result<Option<Item>, StoreError> {
        if self.root.rows == 0 {
            return Ok(None);
        }
        self.spill(ground)?;
        let (mut path, mut hash) = (Path::ROOT, self.root.hash);
        loop {
            match self.hold(ground, path, &hash)? {
                Held::Gone => return Ok(None),
                Held::Clean(Node::Leaf(items)) | Held::Changed(Node::Leaf(items)) => {
                    let found = items.binary_search_by(|item| item.row.cmp(row));
                    return Ok(found.ok().map(|place| items[place].clone()));
                }
                Held::Clean(Node::Inner(children)) | Held::Changed(Node::Inner(children)) => {
                    let next = digit(row, path.depth);
                    if children[next].rows == 0 {
                        return Ok(None);
                    }
                    hash = children[next].hash;
                    path = path.child(next);
                }
            }
        }
    }

    /// The records of a row from now on; none take the row out.
    pub(crate) fn set(&mut self, ground: &mut Ground<'_>, item: Item) -> Result<(), StoreError> {
        let known = self.get(ground, &item.row)?.is_some();
        match (known, item.is_empty()) {
            (false, true) => Ok(()),
            (true, true) => self.take_out(ground, &item.row),
            (known, false) => self.put_in(ground, item, !known),
        }
    }

    fn put_in(
        &mut self,
        ground: &mut Ground<'_>,
        item: Item,
        is_new: bool,
    ) -> Result<(), StoreError> {
        let (mut path, mut hash) = (Path::ROOT, self.root.hash);
        if self.root.rows == 0 {
            self.held.insert(path, Held::Changed(Node::Leaf(Vec::new())));
        }
        self.root.rows += u64::from(is_new);
        loop {
            let held = self.hold(ground, path, &hash)?;
            let mut node = match std::mem::replace(held, Held::Gone) {
                Held::Clean(node) | Held::Changed(node) => node,
                Held::Gone => Node::Leaf(Vec::new()),
            };
            match &mut node {
                Node::Leaf(items) => {
                    match items.binary_search_by(|known| known.row.cmp(&item.row)) {
                        Ok(place) => items[place] = item,
                        Err(place) => items.insert(place, item),
                    }
                    let items = std::mem::take(items);
                    self.spread(path, items);
                    return Ok(());
                }
                Node::Inner(children) => {
                    let next = digit(&item.row, path.depth);
                    let child = &mut children[next];
                    let was_empty = child.rows == 0;
                    child.rows += u64::from(is_new);
                    hash = child.hash;
                    let below = path.child(next);
                    self.held.insert(path, Held::Changed(node));
                    if was_empty {
                        self.held.insert(below, Held::Changed(Node::Leaf(Vec::new())));
                    }
                    path = below;
                }
            }
        }
    }

    /// Items as a leaf or, where they are too many, as leaves below.
    fn spread(&mut self, path: Path, items: Vec<Item>) {
        if items.len() <= MOST || path.depth == DEPTH {
            self.held.insert(path, Held::Changed(Node::Leaf(items)));
            return;
        }
        let mut parts: [Vec<Item>; CHILDREN] = Default::default();
        for item in items {
            parts[digit(&item.row, path.depth)].push(item);
        }
        let mut children = Box::new([Root::default(); CHILDREN]);
        for (number, part) in parts.into_iter().enumerate() {
            if !part.is_empty() {
                children[number].rows = part.len() as u64;
                self.spread(path.child(number), part);
            }
        }
        self.held.insert(path, Held::Changed(Node::Inner(children)));
    }

    fn take_out(&mut self, ground: &mut Ground<'_>, row: &Row) -> Result<(), StoreError> {
        self.root.rows -= 1;
        let (mut path, mut hash) = (Path::ROOT, self.root.hash);
        loop {
            // What is few from now on is a leaf.
            let left = self.look(ground, path, &hash)?.rows().saturating_sub(1);
            if left <= MOST as u64 {
                let mut items = Vec::new();
                self.gather(ground, path, &hash, &mut items)?;
                items.retain(|item| item.row != *row);
                let held = match items.is_empty() {
                    true => Held::Gone,
                    false => Held::Changed(Node::Leaf(items)),
                };
                self.held.insert(path, held);
                return Ok(());
            }
            let held = self.hold(ground, path, &hash)?;
            let taken = std::mem::replace(held, Held::Gone);
            let (Held::Clean(Node::Inner(mut children)) | Held::Changed(Node::Inner(mut children))) =
                taken
            else {
                let (part, why) = (Part::Tree, "a leaf has too many rows".to_owned());
                return Err(StoreError::Damaged { at: ground.at.clone(), part, why });
            };
            let next = digit(row, path.depth);
            children[next].rows -= 1;
            hash = children[next].hash;
            self.held.insert(path, Held::Changed(Node::Inner(children)));
            path = path.child(next);
        }
    }

    /// All items from a node on, which is gone then.
    fn gather(
        &mut self,
        ground: &mut Ground<'_>,
        path: Path,
        hash: &NodeHash,
        items: &mut Vec<Item>,
    ) -> Result<(), StoreError> {
        match self.look(ground, path, hash)? {
            Node::Leaf(own) => items.extend(own),
            Node::Inner(children) => {
                for (number, child) in children.iter().enumerate() {
                    if child.rows > 0 {
                        self.gather(ground, path.child(number), &child.hash, items)?;
                    }
                }
            }
        }
        self.held.insert(path, Held::Gone);
        Ok(())
    }

    /// Writes what was changed, where memory has much of it.
    fn spill(&mut self, ground: &mut Ground<'_>) -> Result<(), StoreError> {
        match self.held.len() > HELD {
            true => self.flush(ground),
            false => Ok(()),
        }
    }

    /// Writes what was changed, from the leaves up.
    fn flush(&mut self, ground: &mut Ground<'_>) -> Result<(), StoreError> {
        let is_changed =
            |(path, held): (&Path, &Held)| (!matches!(held, Held::Clean(_))).then_some(*path);
        let mut changed: Vec<Path> = self.held.iter().filter_map(is_changed).collect();
        changed.sort_by(|a, b| b.depth.cmp(&a.depth).then(a.digits.cmp(&b.digits)));
        for path in changed {
            let hash = match &self.held[&path] {
                Held::Gone => {
                    ground.backend.delete_node(&path.id())?;
                    NodeHash::default()
                }
                Held::Clean(node) | Held::Changed(node) => {
                    let bytes = node.bytes();
                    ground.backend.put_node(&path.id(), &bytes)?;
                    ground.hash(path, &bytes)
                }
            };
            if path.depth == 0 {
                self.root.hash = hash;
                continue;
            }
            let depth = path.depth - 1;
            let mut above = Path { depth, ..path };
            let kept = if depth.is_multiple_of(2) { 0x00 } else { 0xf0 };
            above.digits[usize::from(depth / 2)] &= kept;
            // One that became a leaf has no children.
            if let Some(Held::Changed(Node::Inner(children))) = self.held.get_mut(&above) {
                children[digit(&path.digits, depth)].hash = hash;
            }
        }
        self.held.clear();
        Ok(())
    }

    /// Writes everything, and gives what the header is to know.
    pub(crate) fn finish(&mut self, ground: &mut Ground<'_>) -> Result<Root, StoreError> {
        self.flush(ground)?;
        Ok(self.root)
    }

    /// Calls `work` with every leaf, in the order of rows. It may not change the tree.
    pub(crate) fn leaves<E: From<StoreError>>(
        &self,
        ground: &mut Ground<'_>,
        mut work: impl FnMut(&mut Ground<'_>, Leaf) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.root.rows == 0 {
            return Ok(());
        }
        let mut waiting = vec![(Path::ROOT, self.root.hash)];
        while let Some((path, hash)) = waiting.pop() {
            match self.look(ground, path, &hash)? {
                Node::Leaf(items) => {
                    work(ground, Leaf { items, range: [path.digits, path.last()] })?;
                }
                Node::Inner(children) => {
                    let there = children.iter().enumerate().rev().filter(|(_, c)| c.rows > 0);
                    waiting.extend(there.map(|(number, c)| (path.child(number), c.hash)));
                }
            }
        }
        Ok(())
    }

    /// The leaf that would have a row, or the next one that there is; none behind the last.
    pub(crate) fn leaf_from(
        &self,
        ground: &mut Ground<'_>,
        row: &Row,
    ) -> Result<Option<Leaf>, StoreError> {
        if self.root.rows == 0 {
            return Ok(None);
        }
        let mut waiting = vec![(Path::ROOT, self.root.hash)];
        while let Some((path, hash)) = waiting.pop() {
            if path.last() < *row {
                continue;
            }
            match self.look(ground, path, &hash)? {
                Node::Leaf(items) => {
                    return Ok(Some(Leaf { items, range: [path.digits, path.last()] }));
                }
                Node::Inner(children) => {
                    let there = children.iter().enumerate().rev().filter(|(_, c)| c.rows > 0);
                    waiting.extend(there.map(|(number, c)| (path.child(number), c.hash)));
                }
            }
        }
        Ok(None)
    }
}

/// The row behind one, if there is any.
pub(crate) fn after(row: &Row) -> Option<Row> {
    u128::from_be_bytes(*row).checked_add(1).map(u128::to_be_bytes)
}

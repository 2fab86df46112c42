//! The validity of a certificate (X.509, DER). Everything else of it is the business of the TLS library.

use spki::der::asn1::{AnyRef, GeneralizedTime, UtcTime};
use spki::der::{Decode, Error, Reader, SliceReader, Tag, Tagged};

use rollcall_model::time::SECOND;

/// In milliseconds since the epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validity {
    pub not_before: i64,
    pub not_after: i64,
}

impl Validity {
    /// `None` if the bytes are not a certificate.
    pub fn of(certificate: &[u8]) -> Option<Self> {
        parse(certificate).ok()
    }
}

fn parse(certificate: &[u8]) -> Result<Validity, Error> {
    let certificate = AnyRef::from_der(certificate)?;
    let to_be_signed: AnyRef = SliceReader::new(certificate.value())?.decode()?;
    let mut fields = SliceReader::new(to_be_signed.value())?;
    // The version is optional; the serial number follows it, then the algorithm and the issuer.
    let first: AnyRef = fields.decode()?;
    if first.tag() != Tag::Integer {
        fields.decode::<AnyRef>()?;
    }
    fields.decode::<AnyRef>()?;
    fields.decode::<AnyRef>()?;
    let validity: AnyRef = fields.decode()?;
    let mut times = SliceReader::new(validity.value())?;
    Ok(Validity { not_before: time(&mut times)?, not_after: time(&mut times)? })
}

fn time<'a>(reader: &mut SliceReader<'a>) -> Result<i64, Error> {
    let value: AnyRef<'a> = reader.decode()?;
    let since_epoch = match value.tag() {
        Tag::UtcTime => value.decode_as::<UtcTime>()?.to_unix_duration(),
        _ => value.decode_as::<GeneralizedTime>()?.to_unix_duration(),
    };
    Ok(i64::try_from(since_epoch.as_secs()).unwrap_or(i64::MAX / SECOND) * SECOND)
}

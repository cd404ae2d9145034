import { type FailureKind, readErrorCode } from './error-kind.ts'

/**
 * The text about a failed connection that a tenant may read, selected by the code of the error. The message of the
 * error is never shown: it names resolved addresses, the egress proxy or DNS servers, and libraries.
 */
const detailsByCode: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host name does not exist',
  ENODATA: 'the host name has no address',
  EAI_NODATA: 'the host name has no address',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed by the receiver',
  EPIPE: 'the connection was closed by the receiver',
  ECONNABORTED: 'the connection was closed by the receiver',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'the receiver cannot be reached',
  ENETUNREACH: 'the receiver cannot be reached',
  EGRESS_UNREACHABLE: 'the receiver cannot be reached',
  EGRESS_REFUSED: 'connections to the receiver are not allowed',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  CERT_REVOKED: 'the certificate has been revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'a certificate of the chain is self-signed and not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate chain is incomplete or its issuer is not trusted',
  UNABLE_TO_GET_ISSUER_CERT: 'the certificate chain is incomplete or its issuer is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate chain is incomplete or its issuer is not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is not for this host name',
}

const detailsByKind: Readonly<Partial<Record<FailureKind, string>>> = {
  dns: 'the host name cannot be resolved',
  connect: 'the connection could not be established',
  tls: 'the TLS handshake failed',
  reset: 'the connection was closed during the request',
  protocol: 'the response is not valid HTTP',
}

/** Codes of these kinds describe the receiver and reveal nothing about our network. */
const kindsWithCode: ReadonlySet<FailureKind> = new Set(['tls', 'protocol'])

export function describeError(kind: FailureKind, error: unknown): string {
  const code = readErrorCode(error)
  const known = Object.hasOwn(detailsByCode, code) ? detailsByCode[code] : undefined
  if (known !== undefined) return known
  const detail = detailsByKind[kind] ?? 'the attempt failed'
  return kindsWithCode.has(kind) && /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? `${detail} (${code})` : detail
}

import { LocalFailure } from './local-failure.ts'

/** The step at which a request failed. */
export type FailureKind = 'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'protocol' | 'blocked_address'

/** Error codes of a machine without free sockets, ports or memory. */
const exhausted = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL'])
const exhaustedWaitMs = 5_000
const dns = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA', 'EAI_NONAME', 'EAI_FAIL', 'ENODATA', 'ESERVFAIL'])
const reset = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED'])
const tls = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|EPROTO$|HOSTNAME_MISMATCH|INVALID_)/

/** The step of a request that failed. Throws LocalFailure for a local cause. `connected`: a connection was open. */
export function classifyError(error: unknown, { connected }: { connected: boolean }): FailureKind {
  if (error instanceof LocalFailure) throw error
  const code = readErrorCode(error)
  if (exhausted.has(code)) {
    throw new LocalFailure(`this machine is out of resources: ${code}`, exhaustedWaitMs, { cause: error })
  }
  if (code === 'EGRESS_REFUSED') return 'blocked_address'
  if (dns.has(code)) return 'dns'
  if (code.startsWith('HPE_')) return 'protocol'
  if (tls.test(code)) return 'tls'
  if (!connected) return 'connect'
  return reset.has(code) ? 'reset' : 'protocol'
}

/** Node wraps one error per address in an AggregateError; the first one counts. */
export function readErrorCode(error: unknown): string {
  const { code, errors } = error as { code?: unknown; errors?: unknown[] }
  if (typeof code === 'string') return code
  return Array.isArray(errors) && errors.length > 0 ? readErrorCode(errors[0]) : ''
}

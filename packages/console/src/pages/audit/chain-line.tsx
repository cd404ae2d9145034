import { useQuery } from '@tanstack/react-query'
import { formatError } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { formatCount } from '../../text/format.ts'
import { Notice } from '../../ui/notice.tsx'
import { Time } from '../../ui/values.tsx'

const refetchMs = 15_000

/** How many records are sealed, and what the last verification found. */
export function ChainLine() {
  const { data, error } = useQuery({
    queryKey: ['audit-chain'],
    queryFn: ({ signal }) => api.readChain({}, { signal }),
    refetchInterval: refetchMs,
  })
  if (data === undefined) return error === null ? null : <p className="muted">{formatError(error)}</p>
  const { sealed_count, sealed_at, last_verified_at, last_verification_findings: findings } = data
  if (sealed_at === null) return <p className="muted">No record is sealed yet.</p>
  return (
    <>
      {findings === null || findings === 0 ? null : (
        <Notice tone="bad" title="The last verification found records that differ from their seal.">
          Their number is {formatCount(findings)}. Contact the operator of the platform.
        </Notice>
      )}
      <p className="muted">
        Sealed to record {formatCount(sealed_count)}, <Time at={sealed_at} />;{' '}
        {last_verified_at === null ? (
          'not verified yet.'
        ) : (
          <>
            last verification {findings === 0 ? 'without findings' : `with ${formatCount(findings ?? 0)} findings`},{' '}
            <Time at={last_verified_at} />.
          </>
        )}
      </p>
    </>
  )
}

import type { ApiKey } from '@payments/client/schemas'
import { relative } from '../../text/format.ts'

/** Whether the key can be used now, in one word. */
export function KeyState({ apiKey }: { apiKey: Pick<ApiKey, 'enabled' | 'expires_at' | 'role_ids'> }) {
  const { enabled, expires_at: expiresAt } = apiKey
  if (!enabled) return <span className="badge">disabled</span>
  if (expiresAt !== null && Date.parse(expiresAt) <= Date.now()) {
    return (
      <span className="badge" data-tone="bad">
        expired
      </span>
    )
  }
  const isNear = expiresAt !== null && Date.parse(expiresAt) - Date.now() < 14 * 86_400_000
  return (
    <span className="badge" data-tone={isNear ? 'warning' : 'good'}>
      {isNear ? `expires ${relative(new Date(expiresAt), new Date())}` : 'enabled'}
    </span>
  )
}

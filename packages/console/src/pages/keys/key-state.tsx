import type { ApiKey } from '@payments/client/schemas'
import { relative } from '../../text/format.ts'
import { Badge } from '../../ui/badge.tsx'

/** Whether the key can be used now, in one word. */
export function KeyState({ apiKey }: { apiKey: Pick<ApiKey, 'enabled' | 'expires_at' | 'role_ids'> }) {
  const { enabled, expires_at: expiresAt } = apiKey
  if (!enabled) return <Badge>disabled</Badge>
  if (expiresAt !== null && Date.parse(expiresAt) <= Date.now()) {
    return <Badge tone="bad">expired</Badge>
  }
  const isNear = expiresAt !== null && Date.parse(expiresAt) - Date.now() < 14 * 86_400_000
  return (
    <Badge tone={isNear ? 'warning' : 'good'}>
      {isNear ? `expires ${relative(new Date(expiresAt), new Date())}` : 'enabled'}
    </Badge>
  )
}

import type { WebhookSubscriptionHealth } from '@payments/client/schemas'

const tones: Readonly<Record<string, 'good' | 'bad' | 'warning' | undefined>> = {
  active: 'good',
  failing: 'bad',
  paused: 'warning',
}

/** The state of a subscription in one word, with the reason on hover. */
export function Health({ health }: { health: WebhookSubscriptionHealth }) {
  return (
    <span className="badge" data-tone={tones[health.state]} title={health.reason}>
      {health.state}
    </span>
  )
}

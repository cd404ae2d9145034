import { Card } from '../../layout/card.tsx'
import { api } from '../../session/api.ts'
import { foreign, formatCount } from '../../text/format.ts'
import styles from './plan.module.css'
import { readLimits } from './rate-limits.ts'

const refetchMs = 10_000

/** The request rates in force and what is left of them, by the headers of a response. */
export function LimitsCard() {
  return (
    <Card
      title="Limits in force"
      operation="readSelf"
      queryKey={['limits']}
      read={async (signal) => readLimits((await api.readSelf({}, { signal }).withResponse()).headers)}
      refetchMs={refetchMs}
    >
      {(limits) => (
        <ul className="stack">
          {limits.map(({ name, quota, seconds, remaining }) => (
            <li key={name} className={styles.limit}>
              <span>
                Requests of {subjects[name] ?? foreign(name)}: {formatCount(quota)} at once,{' '}
                {formatCount(Math.round(quota / seconds))} a second over time
              </span>
              <progress aria-label={`Used of ${subjects[name] ?? name}`} value={quota - remaining} max={quota} />
              <small>
                {formatCount(quota - remaining)} of {formatCount(quota)} in use
              </small>
            </li>
          ))}
          {limits.length === 0 ? <li className="muted">The response names no limit.</li> : null}
        </ul>
      )}
    </Card>
  )
}

const subjects: Readonly<Record<string, string>> = { tenant: 'the tenant', user: 'each user', key: 'each API key' }

import { useNavigate, useParams } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { bindTo, Form } from '../../layout/form.tsx'
import { Page } from '../../layout/page.tsx'
import { DeliveryList } from '../../parts/webhooks/delivery-list.tsx'
import { SubscriptionLink } from '../../parts/webhooks/names.tsx'
import { DeliveryCount, RateField, rateBody } from '../../parts/webhooks/task-fields.tsx'
import { useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { toEndInstant, toInstant, toLocalTime } from '../../text/local-time.ts'
import { Section } from '../../ui/content.tsx'
import { TextField } from '../../ui/fields.tsx'
import styles from './webhooks.module.css'

interface Ids {
  readonly unitId: string
  readonly subscriptionId: string
}

/** Sends again what a subscription missed in a range of time. */
export function RecoverPage() {
  const { business_unit_id: unitId = '', bu_webhook_id: subscriptionId = '' } = useParams({ strict: false })
  return (
    <Page
      title="Recover deliveries"
      about="Sends the dead, retrying and held deliveries of a range of time again. Delivered ones stay as they are."
      operation="recoverSubscription"
      args={{ business_unit_id: unitId, bu_webhook_id: subscriptionId }}
    >
      {() => <Recovery unitId={unitId} subscriptionId={subscriptionId} />}
    </Page>
  )
}

const hourMs = 3_600_000

/** The range of the last hours, to the minute. The end is the start of the next minute. */
function lastHours(hours: number) {
  const now = Date.now()
  const instant = (ms: number) => toLocalTime(new Date(ms).toISOString())
  return { since: instant(now - hours * hourMs), until: instant(now + 60_000) }
}

const ranges = [
  { label: 'Last hour', hours: 1 },
  { label: 'Last day', hours: 24 },
  { label: 'Last 7 days', hours: 168 },
]

const fields = ['/since', '/until', '/rate_per_second']

function Recovery({ unitId, subscriptionId }: Ids) {
  const [range, setRange] = useState(() => lastHours(24))
  const [chosenHours, setChosenHours] = useState<number | undefined>(24)
  const [isWithUnmatched, setWithUnmatched] = useState(false)
  const [rate, setRate] = useState('')
  const { count, start, size, restart } = useRecovery({ unitId, subscriptionId }, () => ({
    since: toInstant(range.since),
    until: toEndInstant(range.until),
    include_unmatched: isWithUnmatched,
    ...rateBody(rate),
  }))
  const change = (next: typeof range, hours?: number) => {
    setRange(next)
    setChosenHours(hours)
    restart()
  }
  const action = size === undefined ? count : start
  const bind = bindTo(range, (part) => change({ ...range, ...part }), action.fieldError)
  return (
    <>
      <p>
        Subscription <SubscriptionLink id={subscriptionId} unitId={unitId} />
      </p>
      <section className={`card stack ${styles.form}`} aria-label="Range and rate">
        <div className="row">
          {ranges.map(({ label, hours }) => (
            <button
              key={label}
              type="button"
              aria-pressed={hours === chosenHours}
              onClick={() => change(lastHours(hours), hours)}
            >
              {label}
            </button>
          ))}
        </div>
        <Form
          action={action}
          submit={size === undefined ? 'Show what would be sent' : 'Start recovery'}
          isReady={range.since !== '' && range.until !== '' && size !== 0}
          onSubmit={action.run}
        >
          <div className={styles.range}>
            <TextField label="Since" type="datetime-local" isRequired {...bind('since')} />
            <TextField label="Until" type="datetime-local" isRequired {...bind('until')} />
          </div>
          <label className={styles.check}>
            <input
              type="checkbox"
              checked={isWithUnmatched}
              onChange={({ target }) => {
                setWithUnmatched(target.checked)
                restart()
              }}
            />
            <span>Also events that the subscription did not match then and matches today</span>
          </label>
          <RateField value={rate} total={size ?? 0} error={action.fieldError('/rate_per_second')} onChange={setRate} />
          {size === undefined ? null : <DeliveryCount count={size} effect="would be sent" />}
        </Form>
      </section>
      {size === undefined ? null : <Selected subscriptionId={subscriptionId} range={range} />}
    </>
  )
}

type Body = Parameters<typeof api.recoverSubscription>[0]['body']

/** The two steps of a recovery: count, then start. `restart` returns to the first step, also from a count that runs. */
function useRecovery({ unitId, subscriptionId }: Ids, buildBody: () => Body) {
  const navigate = useNavigate()
  const [size, setSize] = useState<number>()
  const restarts = useRef(0)
  const args = { business_unit_id: unitId, bu_webhook_id: subscriptionId }
  const count = useAction({
    call: async ({ idempotencyKey }) => {
      const before = restarts.current
      const reply = await api.recoverSubscription(
        { ...args, body: { ...buildBody(), dry_run: true } },
        { idempotencyKey },
      )
      return before === restarts.current && 'count' in reply ? reply.count : undefined
    },
    onSuccess: setSize,
    fields,
  })
  const start = useAction({
    call: ({ idempotencyKey }) => api.recoverSubscription({ ...args, body: buildBody() }, { idempotencyKey }),
    onSuccess: (reply) => {
      if ('task_id' in reply) void navigate({ to: `/tasks/${reply.task_id}` })
    },
    fields,
  })
  const restart = () => {
    restarts.current += 1
    setSize(undefined)
  }
  return { count, start, size, restart }
}

/** The stored deliveries of the range that a recovery sends. */
function Selected({ subscriptionId, range }: { subscriptionId: string; range: { since: string; until: string } }) {
  const filters = {
    subscription_id: subscriptionId,
    status: 'dead,retrying,held',
    created_after: toInstant(range.since),
    created_before: toEndInstant(range.until),
  }
  return (
    <Section title="Deliveries of this range that were not delivered">
      <DeliveryList filters={filters} />
    </Section>
  )
}

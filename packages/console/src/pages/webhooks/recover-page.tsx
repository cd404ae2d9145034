import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
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

/** The selection of a recovery, as its form has it. */
interface Range {
  /** Of the button that chose the range; undefined for another range. */
  readonly hours: number | undefined
  readonly since: string
  readonly until: string
  readonly isWithUnmatched: boolean
}

const hourMs = 3_600_000

/** The range of the last hours, to the minute. The end is the start of the next minute. */
function lastHours(hours: number) {
  const now = Date.now()
  const instant = (ms: number) => toLocalTime(new Date(ms).toISOString())
  return { hours, since: instant(now - hours * hourMs), until: instant(now + 60_000) }
}

const ranges = [
  { label: 'Last hour', hours: 1 },
  { label: 'Last day', hours: 24 },
  { label: 'Last 7 days', hours: 168 },
]

function Recovery(ids: Ids) {
  const [range, setRange] = useState<Range>(() => ({ ...lastHours(24), isWithUnmatched: false }))
  const [rate, setRate] = useState('')
  const { action, size } = useRecovery(ids, range, rate)
  const change = (part: Partial<Range>) => setRange({ ...range, ...part })
  const bind = bindTo(range, (part) => change({ hours: undefined, ...part }), action.fieldError)
  return (
    <>
      <p>
        Subscription <SubscriptionLink id={ids.subscriptionId} unitId={ids.unitId} />
      </p>
      <section className={`card stack ${styles.form}`} aria-label="Range and rate">
        <div className="row">
          {ranges.map(({ label, hours }) => (
            <button
              key={label}
              type="button"
              aria-pressed={hours === range.hours}
              onClick={() => change(lastHours(hours))}
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
              checked={range.isWithUnmatched}
              onChange={({ target }) => change({ isWithUnmatched: target.checked })}
            />
            <span>Also events that the subscription did not match then and matches today</span>
          </label>
          <RateField value={rate} total={size ?? 0} error={action.fieldError('/rate_per_second')} onChange={setRate} />
          {size === undefined ? null : <DeliveryCount count={size} effect="would be sent" />}
        </Form>
      </section>
      {size === undefined ? null : <Selected subscriptionId={ids.subscriptionId} range={range} />}
    </>
  )
}

const fields = ['/since', '/until', '/rate_per_second']

/** The two steps of a recovery: to count, then to start. A count is for the range with which it was sent. */
function useRecovery({ unitId, subscriptionId }: Ids, range: Range, rate: string) {
  const navigate = useNavigate()
  const [counted, setCounted] = useState<{ readonly range: Range; readonly count: number }>()
  const args = { business_unit_id: unitId, bu_webhook_id: subscriptionId }
  const body = {
    since: toInstant(range.since),
    until: toEndInstant(range.until),
    include_unmatched: range.isWithUnmatched,
    ...rateBody(rate),
  }
  const count = useAction({
    call: async ({ idempotencyKey }) => {
      const reply = await api.recoverSubscription({ ...args, body: { ...body, dry_run: true } }, { idempotencyKey })
      return 'count' in reply ? { range, count: reply.count } : undefined
    },
    onSuccess: setCounted,
    fields,
  })
  const start = useAction({
    call: ({ idempotencyKey }) => api.recoverSubscription({ ...args, body }, { idempotencyKey }),
    onSuccess: (reply) => {
      if ('task_id' in reply) void navigate({ to: `/tasks/${reply.task_id}` })
    },
    fields,
  })
  const size = counted?.range === range ? counted.count : undefined
  return { action: size === undefined ? count : start, size }
}

/** The stored deliveries of the range that a recovery sends. */
function Selected({ subscriptionId, range }: { subscriptionId: string; range: Range }) {
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

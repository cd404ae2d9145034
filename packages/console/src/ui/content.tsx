import { Fragment, type ReactNode, useEffect, useId, useState } from 'react'
import { absolute, foreign, relative } from '../text/format.ts'
import { formatMoney } from '../text/money.ts'
import styles from './content.module.css'

type Tone = 'good' | 'warning' | 'bad'

interface BadgeProps {
  /** Default: neutral. */
  readonly tone?: Tone | undefined
  readonly title?: string | undefined
  readonly children: ReactNode
}

/** A word or two about a state. */
export function Badge({ tone, title, children }: BadgeProps) {
  return (
    <span className="badge" data-tone={tone} title={title}>
      {children}
    </span>
  )
}

/** The tones of states; a state without one is neutral. */
export type Tones = Readonly<Record<string, Tone>>

/** A state as the API names it. */
export function State({ state, tones = {} }: { state: string; tones?: Tones }) {
  return <Badge tone={tones[state]}>{state.replaceAll('_', ' ')}</Badge>
}

const shownMs = 2_000

/** A value to copy, such as an id. `label` names it for the button. */
export function CopyField({ label, value }: { label: string; value: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle')
  useEffect(() => {
    if (state === 'idle') return
    const timer = setTimeout(() => setState('idle'), shownMs)
    return () => clearTimeout(timer)
  }, [state])
  const copy = () =>
    navigator.clipboard.writeText(value).then(
      () => setState('copied'),
      () => setState('failed'),
    )
  const text = { idle: 'Copy', copied: 'Copied', failed: 'Select and copy' }[state]
  return (
    <span className={styles.field}>
      <code>{foreign(value)}</code>
      <button type="button" onClick={() => void copy()} aria-label={`Copy ${label}`}>
        <span aria-live="polite">{text}</span>
      </button>
    </span>
  )
}

const visibleMs = 60_000

/**
 * A secret that the API has just shown. It is in the state of the component that read it, and in no cache, URL, storage
 * or title. The value is hidden after a minute and when the window loses the focus.
 */
export function Secret({ label, value, onHide }: { label: string; value: string; onHide: () => void }) {
  const [endsAt] = useState(() => Date.now() + visibleMs)
  useEffect(() => {
    const timer = setTimeout(onHide, endsAt - Date.now())
    window.addEventListener('blur', onHide)
    return () => {
      clearTimeout(timer)
      window.removeEventListener('blur', onHide)
    }
  }, [endsAt, onHide])
  return (
    <div className={styles.secret}>
      <CopyField label={label} value={value} />
      <small>Hidden after a minute, or when you leave the window.</small>
    </div>
  )
}

/** A text as it is, such as the body of a message. It scrolls, also by keyboard. */
export function Source({ label, text }: { label: string; text: string }) {
  return (
    <pre className={styles.source} tabIndex={0} role="region" aria-label={label}>
      {foreign(text)}
    </pre>
  )
}

/** An amount in minor units, on one line. */
export function Money({ amount, currency }: { amount: number; currency: string }) {
  return <span className="amount">{formatMoney(amount, currency)}</span>
}

const refreshMs = 30_000

/** An instant of the API as people say it, with the exact time on hover. `fallback` stands where there is none. */
export function Time({ at, fallback = 'never' }: { at: string | null; fallback?: string }) {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), refreshMs)
    return () => clearInterval(timer)
  }, [])
  if (at === null) return <span className="muted">{fallback}</span>
  const instant = new Date(at)
  return (
    <time dateTime={at} title={absolute(instant)}>
      {relative(instant, now)}
    </time>
  )
}

/** An instant as people say it, with date and time beside it: a touch screen has no hover. */
export function ExactTime({ at }: { at: string }) {
  return (
    <>
      <Time at={at} /> <small>({absolute(new Date(at))})</small>
    </>
  )
}

/** A text of others, or a word in place of none. */
export function Text({ text, none = 'none' }: { text: string | null; none?: string }) {
  return text ? foreign(text) : <span className="muted">{none}</span>
}

interface SectionProps {
  readonly title: string
  readonly isCard?: boolean
  readonly children: ReactNode
}

/** A part of a page below its own heading. */
export function Section({ title, isCard = false, children }: SectionProps) {
  const heading = useId()
  return (
    <section className={isCard ? 'card stack' : 'stack'} aria-labelledby={heading}>
      <h2 id={heading}>{title}</h2>
      {children}
    </section>
  )
}

/** Values by their labels, in this order. Null leaves the fact out. */
export type FactList = Readonly<Record<string, ReactNode>>

export function Facts({ facts }: { facts: FactList }) {
  return (
    <dl className="facts">
      {Object.entries(facts).map(([label, value]) =>
        value === null ? null : (
          <Fragment key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </Fragment>
        ),
      )}
    </dl>
  )
}

/** The facts of a page about one resource. */
export function Details({ facts }: { facts: FactList }) {
  return (
    <section className="card" aria-label="Details">
      <Facts facts={facts} />
    </section>
  )
}

interface NoticeProps {
  readonly tone: 'info' | 'good' | 'warning' | 'bad'
  readonly title?: string
  readonly children?: ReactNode
}

/** A message that belongs to what stands below it. Bad news is announced at once. A form moves the focus to it. */
export function Notice({ tone, title, children }: NoticeProps) {
  return (
    <div
      className={styles.notice}
      data-tone={tone}
      role={tone === 'bad' ? 'alert' : 'status'}
      tabIndex={tone === 'bad' ? -1 : undefined}
    >
      {title === undefined ? null : <strong>{title}</strong>}
      {children === undefined ? null : <div>{children}</div>}
    </div>
  )
}

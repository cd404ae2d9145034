import { Fragment, type ReactNode, useId } from 'react'

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

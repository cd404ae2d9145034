import { Fragment, type ReactNode } from 'react'

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

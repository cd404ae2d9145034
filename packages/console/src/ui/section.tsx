import { type ReactNode, useId } from 'react'

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

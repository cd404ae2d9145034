import type { ReactNode } from 'react'

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

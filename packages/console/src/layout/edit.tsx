import { type ReactNode, useState } from 'react'
import { Notice } from '../ui/notice.tsx'

interface Edit<Resource> {
  /** Says so when the resource has changed since its form opened. */
  readonly notice: ReactNode
  /**
   * Sends the fields of `body` that differ from the resource as it was, and of those in `merged`, which the API merges,
   * the members that differ. Sends nothing where all are the same.
   */
  readonly save: <Body extends object>(
    body: Body,
    send: (changes: Partial<Body>) => Promise<Resource>,
    merged?: readonly (keyof Body & string)[],
  ) => Promise<Resource>
}

/**
 * A form about a resource that another tab, or another person, may change at the same time. Undefined: a resource that
 * does not exist yet.
 */
export function useEdit<Resource extends { readonly updated_at: string }>(
  current: Resource | undefined,
): Edit<Resource> {
  const [opened] = useState(current)
  const isOther = opened?.updated_at !== current?.updated_at
  return {
    notice: isOther ? (
      <Notice tone="warning" title="This was changed while you edited it.">
        Saving changes only the fields that you changed here. Cancel to see the other change first.
      </Notice>
    ) : null,
    save: async (body, send, merged = []) => {
      const changes = changesOf(opened, body, merged)
      if (current !== undefined && Object.keys(changes).length === 0) return current
      return send(changes as Partial<typeof body>)
    },
  }
}

function changesOf(opened: object | undefined, body: object, merged: readonly string[]): object {
  const before: Readonly<Record<string, unknown>> = { ...opened }
  const changed = Object.entries(body).filter(([name, value]) => !isSame(before[name], value))
  return Object.fromEntries(
    changed.map(([name, value]) => [
      name,
      merged.includes(name) ? changesOf(before[name] as object, value as object, []) : value,
    ]),
  )
}

/** Of JSON values. */
const isSame = (left: unknown, right: unknown) => JSON.stringify(left) === JSON.stringify(right)

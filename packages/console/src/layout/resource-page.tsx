import type { Arguments, Result } from '@payments/client'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { ReadName } from '../session/api.ts'
import { useChanges } from '../session/changes.ts'
import { useResource } from '../session/reads.ts'
import { Loaded, Page } from './page.tsx'

interface ResourcePageProps<Name extends ReadName> {
  /** The kind of the resource: the title until it is read. */
  readonly noun: string
  /** Of changes: `session/changes.ts`. */
  readonly topic: string
  readonly operation: Name
  /** The ids of the resource. Default: the parameters in the path of the page. */
  readonly args?: Arguments<Name>
  readonly title: (resource: Result<Name>) => string
  /** Whether the title is an amount, which stays on one line. */
  readonly isAmount?: boolean
  /** A sentence below the title. */
  readonly about?: (resource: Result<Name> | undefined) => string | undefined
  readonly actions?: (resource: Result<Name>) => ReactNode
  /** Whether the resource may change without a report of its topic. Default: true. */
  readonly isChanging?: (resource: Result<Name>) => boolean
  readonly children: (resource: Result<Name>) => ReactNode
}

/** A page about one resource, which it reads and keeps up to date. */
export function ResourcePage<Name extends ReadName>(props: ResourcePageProps<Name>) {
  const { noun, topic, operation, title, isAmount = false, about, actions, isChanging, children } = props
  const inPath: unknown = useParams({ strict: false })
  const args = props.args ?? (inPath as Arguments<Name>)
  const query = useResource(topic, operation, args)
  const { data } = query
  useChanges(topic, data === undefined || isChanging === undefined || isChanging(data))
  return (
    <Page
      title={data === undefined ? noun : title(data)}
      isAmount={isAmount && data !== undefined}
      about={about?.(data)}
      operation={operation}
      args={args as Readonly<Record<string, string>>}
      actions={data === undefined ? null : actions?.(data)}
    >
      {() => <Loaded query={query}>{children}</Loaded>}
    </Page>
  )
}

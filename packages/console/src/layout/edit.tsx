import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { buildMergePatch, isSame, listAfter } from '../text/changes.ts'
import { Notice } from '../ui/content.tsx'
import { useForm } from './form.tsx'

interface Editor<Resource, Values, Body> {
  /** The kind of the resource, as the title names it. */
  readonly noun: string
  /** The resource to edit. Undefined: the form creates one. */
  readonly current: Resource | undefined
  /** The values of the form: see `useForm`. */
  readonly initial: Values | (() => Values)
  readonly fields?: readonly string[]
  /** Of the values, and of the resource as it was when the form opened: what others change meanwhile is not sent. */
  readonly toBody: (values: Values, opened: Resource | undefined) => Body
  readonly read: (id: string) => Promise<Resource>
  /** Without it, the form only edits. */
  readonly create?: (body: Body, options: { readonly idempotencyKey: string }) => Promise<Resource>
  /** Gets the id of the resource, and what has changed in the body since the form opened, as a merge patch. */
  readonly update: (id: string, changes: Partial<Body>, body: Body) => Promise<Resource>
  /** The list of such resources, below which the resource has its page: it opens then. Default: the page stays. */
  readonly list?: string
  readonly onClose: () => void
}

const createNone = () => Promise.reject(new Error('a form without create needs a resource'))

/**
 * A form that creates a resource, or edits one that another tab, or another person, may change at the same time. A list
 * of texts retains what others had added or removed before it is sent. Without a change, nothing is sent. `form`: the
 * properties of its `FormDialog`.
 */
export function useEditor<
  Resource extends { readonly id: string; readonly updated_at: string },
  Values extends object,
  Body extends object,
>(editor: Editor<Resource, Values, Body>) {
  const { noun, current, toBody, read, create = createNone, update, list, onClose, ...options } = editor
  const navigate = useNavigate()
  const [opened] = useState(current)
  const [initial] = useState(options.initial)
  const [before] = useState(() => toBody(initial, opened))
  const { action, ...form } = useForm({
    ...options,
    initial,
    call: async (values, { idempotencyKey }) => {
      const body = toBody(values, opened)
      if (opened === undefined) return create(body, { idempotencyKey })
      const changes = buildMergePatch(before as Fields, body as Fields)
      if (Object.keys(changes).length === 0) return opened
      return update(opened.id, (await withCurrentLists(changes, opened, read)) as Partial<Body>, body)
    },
    onSuccess: ({ id }) => {
      onClose()
      if (list !== undefined) void navigate({ to: `${list}/${id}` })
    },
  })
  const isNew = opened === undefined
  const title = isNew ? `Create ${/^[aeio]/.test(noun) ? 'an' : 'a'} ${noun}` : `Edit the ${noun}`
  return {
    ...form,
    isNew,
    isChanged: isNew || !isSame(before, toBody(form.values, opened)),
    fieldError: action.fieldError,
    notice: opened?.updated_at === current?.updated_at ? null : <OtherChange />,
    form: { title, action, submit: isNew ? `Create ${noun}` : 'Save', onClose },
  }
}

/** In a form whose resource has changed since the form opened. */
export function OtherChange() {
  return (
    <Notice tone="warning" title="This was changed while you edited it.">
      Saving changes only the fields that you changed here. Cancel to see the other change first.
    </Notice>
  )
}

type Fields = Readonly<Record<string, unknown>>

/** Reads the resource again where a list of texts changes. */
async function withCurrentLists<Resource extends { readonly id: string }>(
  changes: Fields,
  opened: Resource,
  read: (id: string) => Promise<Resource>,
): Promise<Fields> {
  const before: Fields = { ...opened }
  const lists = Object.entries(changes).filter(([name, value]) => isList(value) && isList(before[name]))
  if (lists.length === 0) return changes
  const now: Fields = { ...(await read(opened.id)) }
  const after = lists.map(([name, chosen]) => [
    name,
    listAfter({ opened: before[name], chosen, current: now[name] } as Parameters<typeof listAfter>[0]),
  ])
  return { ...changes, ...Object.fromEntries(after) }
}

/** A list of texts, or null in its place. */
const isList = (value: unknown) =>
  value === null || (Array.isArray(value) && value.every((each) => typeof each === 'string'))

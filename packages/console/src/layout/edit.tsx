import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { isSame, listAfter } from '../text/changes.ts'
import { Notice } from '../ui/content.tsx'
import { useForm } from './form.tsx'

interface Edit<Resource> {
  /** Says so when the resource has changed since its form opened. */
  readonly notice: ReactNode
  /**
   * Sends the fields of `body` that differ from the resource as it was, and of those in `merged`, which the API merges,
   * the members that differ. A list of texts retains what another person had added or removed before it was sent.
   * Sends nothing where all fields are the same.
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
export function useEdit<Resource extends { readonly id: string; readonly updated_at: string }>(
  current: Resource | undefined,
  read: (id: string) => Promise<Resource>,
): Edit<Resource> {
  const [opened] = useState(current)
  const isOther = opened?.updated_at !== current?.updated_at
  return {
    notice: isOther ? <OtherChange /> : null,
    save: async (body, send, merged = []) => {
      const changes = selectChanges(opened, body, merged)
      if (current !== undefined && Object.keys(changes).length === 0) return current
      return send((await withCurrentLists(changes, opened, read)) as Partial<typeof body>)
    },
  }
}

interface Editor<Resource, Values, Body> {
  /** The kind of the resource, as the title names it. */
  readonly noun: string
  /** The resource to edit. Undefined: the form creates one. */
  readonly current: Resource | undefined
  /** The values of the form: see `useForm`. */
  readonly initial: Values | (() => Values)
  readonly fields?: readonly string[]
  readonly toBody: (values: Values) => Body
  readonly read: (id: string) => Promise<Resource>
  readonly create: (body: Body, options: { readonly idempotencyKey: string }) => Promise<Resource>
  /** Gets the id of the resource, and the fields of the body that differ from it. */
  readonly update: (id: string, changes: Partial<Body>, body: Body) => Promise<Resource>
  /** Fields whose members the API merges. */
  readonly merged?: readonly (keyof Body & string)[]
  /** The list of such resources, below which the resource has its page: it opens then. Default: the page stays. */
  readonly list?: string
  readonly onClose: () => void
}

/** A form that creates a resource, or edits one. `form`: the properties of its `FormDialog`. */
export function useEditor<
  Resource extends { readonly id: string; readonly updated_at: string },
  Values extends object,
  Body extends object,
>({ noun, current, toBody, read, create, update, merged, list, onClose, ...options }: Editor<Resource, Values, Body>) {
  const navigate = useNavigate()
  const [opened] = useState(current)
  const { notice, save } = useEdit(current, read)
  const { action, ...form } = useForm({
    ...options,
    call: (values: Values, { idempotencyKey }) => {
      const body = toBody(values)
      if (opened === undefined) return create(body, { idempotencyKey })
      return save(body, (changes) => update(opened.id, changes, body), merged)
    },
    onSuccess: ({ id }) => {
      onClose()
      if (list !== undefined) void navigate({ to: `${list}/${id}` })
    },
  })
  const isNew = opened === undefined
  const isChanged = isNew || Object.keys(selectChanges(opened, toBody(form.values), merged ?? [])).length > 0
  const title = isNew ? `Create ${/^[aeio]/.test(noun) ? 'an' : 'a'} ${noun}` : `Edit the ${noun}`
  return {
    ...form,
    isNew,
    isChanged,
    fieldError: action.fieldError,
    notice,
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

function selectChanges(opened: object | undefined, body: object, merged: readonly string[]): Fields {
  const before: Fields = { ...opened }
  const changed = Object.entries(body).filter(([name, value]) => !isSame(before[name], value))
  return Object.fromEntries(
    changed.map(([name, value]) => [
      name,
      merged.includes(name) ? selectChanges(before[name] as object, value as object, []) : value,
    ]),
  )
}

/** Reads the resource again where a list of texts changes. */
async function withCurrentLists<Resource extends { readonly id: string }>(
  changes: Fields,
  opened: Resource | undefined,
  read: (id: string) => Promise<Resource>,
): Promise<Fields> {
  const before: Fields = { ...opened }
  const lists = Object.entries(changes).filter(([name, value]) => isList(value) && isList(before[name]))
  if (opened === undefined || lists.length === 0) return changes
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

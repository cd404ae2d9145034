import { type Arguments, type Call, type CallOptions, createClient, type List, type Result } from '@payments/client'
import { operations } from '@payments/client/operations'

const options = {
  session: true,
  timeoutMs: 30_000,
  retry: { attemptsMax: 3, retryAfterMsMax: 10_000 },
  fetch: fetchAsUsed,
} as const

/** The tenant that the document shows, once it is read. */
let shownTenantId: string | undefined

export const showTenant = (tenantId: string): void => void (shownTenantId = tenantId)

/**
 * The public API, with the session of the browser, in the tenant that the document shows. All tabs share the session,
 * so another tab may have switched it: the call is then rejected and changes nothing.
 */
export const api = createClient({
  ...options,
  tenantId: () => {
    if (shownTenantId === undefined) throw new Error('a call needs the tenant of the document: read the person first')
    return shownTenantId
  },
})

/** In the tenant of the session, whichever that is: reads the person, and nothing else. */
export const sessionApi: Pick<typeof api, 'readSelf'> = createClient(options)

export type OperationName = keyof typeof operations

/** The operations that list items, and those that read one resource. */
export type ListName = {
  [Name in OperationName]: (typeof operations)[Name]['list'] extends true ? Name : never
}[OperationName]
export type ReadName = Extract<Exclude<OperationName, ListName>, `read${string}` | 'explainEvent'>

export type ItemOf<Name extends ListName> = Result<Name> extends { data: (infer Item)[] } ? Item : never

/** A list by its operation. The API checks the arguments, which may come from the URL of the console. */
export function listItems<Name extends ListName>(
  operation: Name,
  args: Readonly<Record<string, string | number | undefined>>,
  signal: AbortSignal,
) {
  const list = api[operation] as (given: typeof args, options: CallOptions) => List<ItemOf<Name>>
  return list(args, { signal })
}

export function readResource<Name extends ReadName>(operation: Name, args: Arguments<Name>, signal: AbortSignal) {
  const read = api[operation] as unknown as (given: typeof args, options: CallOptions) => Call<Result<Name>>
  return read(args, { signal })
}

/** The permission that an operation requires; null where every valid credential may call it. */
export const requiredPermission = (operation: OperationName): string | null => operations[operation].permission

export const isRead = (operation: OperationName): boolean => operations[operation].method === 'GET'

/** Method and URL of a request, without the origin. Arguments that the path does not name are the query. */
export function buildRequest(operation: OperationName, args: Readonly<Record<string, string | undefined>>) {
  const { method, path } = operations[operation]
  const url = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(args[name] ?? ''))
  const query = Object.entries(args).filter(([name, value]) => value !== undefined && !path.includes(`{${name}}`))
  const text = new URLSearchParams(query.map(([name, value]) => [name, String(value)])).toString()
  return { method, url: text === '' ? url : `${url}?${text}` }
}

/** Arguments of a list, as the URL of the console has them. */
export type Filters = Readonly<Record<string, string>>

/** A person who reads moves the page within this time. */
const activeMs = 60_000

let lastInputAt = Date.now()
const record = () => void (lastInputAt = Date.now())
for (const type of ['pointerdown', 'pointermove', 'click', 'keydown', 'input', 'focusin', 'wheel', 'touchmove']) {
  addEventListener(type, record, { capture: true, passive: true })
}

/** Sends a request. A read that the page sends by itself, while no person uses it, does not prolong the session. */
function fetchAsUsed(request: Request): Promise<Response> {
  const isRead = request.method === 'GET'
  if (isRead && Date.now() - lastInputAt > activeMs) request.headers.set('X-Console', 'idle')
  return globalThis.fetch(request)
}

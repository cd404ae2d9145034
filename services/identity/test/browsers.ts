import { recordedTenantHeader, recordedUserHeader } from '@payments/contracts/services/audit/contract'
import type { Caller } from '@payments/testing/calls/caller'
import type { World } from './world.ts'

const declared = ['__Host-session', '__Host-sign-in'] as const
type CookieName = (typeof declared)[number]

type Response = Awaited<ReturnType<Caller['get']>>

interface Cookie {
  readonly value: string
  readonly sameSite: string
}

/**
 * A browser with cookies, and the gateway that passes them on. A navigation from another site carries no `Strict`
 * cookie.
 */
export function newBrowser(world: Pick<World, 'callersOf' | 'app'>, { address = '192.0.2.1' } = {}) {
  const cookies = new Map<string, Cookie>()
  const caller = (isCrossSite: boolean): Caller => {
    const sent = [...cookies].filter(([, { sameSite }]) => !isCrossSite || sameSite !== 'Strict')
    const values = Object.fromEntries(sent.map(([name, { value }]) => [name, value]))
    return world.callersOf(world.app).asAnonymous({ address, userAgent: 'Browser/1', cookies: values })
  }
  const stored = (response: Response): Response => {
    for (const line of ([] as string[]).concat(response.headers['set-cookie'] ?? [])) {
      const [, name = '', value = '', age, sameSite = ''] =
        /^([\w-]+)=([^;]*); Path=\/; Max-Age=(\d+); Secure; HttpOnly; SameSite=(\w+)$/.exec(line) ?? []
      if (age === '0') cookies.delete(name)
      else cookies.set(name, { value, sameSite })
    }
    return response
  }
  const get = async (path: string, { isCrossSite = false } = {}) => stored(await caller(isCrossSite).get(path))
  const post = async (path: string, form: Readonly<Record<string, string>> | string) => {
    const body = typeof form === 'string' ? form : new URLSearchParams(form).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return stored(await caller(false).send('post', path, body, headers))
  }
  /** Begins a sign-in, and returns the callback to which the provider leads. */
  const begin = async (path: string): Promise<string> => {
    const { status, headers, text } = await get(path)
    if (status !== 303) throw new Error(`${status} ${text}`)
    return callbackOf(headers['location'] ?? '')
  }
  return {
    cookies,
    cookie: (name: CookieName) => cookies.get(name)?.value,
    get,
    post,
    begin,
    /** Follows a redirect of the provider. */
    callback: (path: string) => get(path, { isCrossSite: true }),
    /** From the choice of the provider to the end. */
    signIn: async (providerId: string, query = '') =>
      get(await begin(`/session/sign-in?provider=${providerId}${query}`), { isCrossSite: true }),
    stepUp: async (query = '') => get(await begin(`/session/step-up${query}`), { isCrossSite: true }),
  }
}

export type TestBrowser = ReturnType<typeof newBrowser>

/** The path and query of the callback to which the provider redirects at once. */
async function callbackOf(authorizationUrl: string): Promise<string> {
  const response = await fetch(authorizationUrl, { redirect: 'manual' })
  const { pathname, search } = new URL(response.headers.get('location') ?? '')
  return `${pathname}${search}`
}

/** A person of the provider with a verified email address. */
export const verified = (email: string, claims: Readonly<Record<string, unknown>> = {}) => ({
  email,
  email_verified: true,
  name: 'Grace Hopper',
  ...claims,
})

/** The tenant and the user that the audit record of the request names. */
export const recordedIn = ({ headers }: Pick<Response, 'headers'>) => [
  headers[recordedTenantHeader],
  headers[recordedUserHeader],
]

/** The title of a page. */
export const titleOf = ({ text }: Pick<Response, 'text'>): string => /<h1>([^<]*)<\/h1>/.exec(text)?.[1] ?? ''

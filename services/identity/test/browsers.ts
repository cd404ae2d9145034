import type { Browser } from '@payments/chassis/base/caller'
import { recordedTenantHeader, recordedUserHeader } from '@payments/contracts/services/audit/contract'
import type { Caller } from '@payments/testing/calls/caller'
import type { World } from './world.ts'

const declared = ['__Host-session', '__Host-sign-in'] as const
type CookieName = (typeof declared)[number]

type Response = Awaited<ReturnType<Caller['get']>>

interface Request {
  readonly isCrossSite?: boolean
  readonly load?: Browser['load']
}

interface Cookie {
  readonly value: string
  readonly sameSite: string
}

/**
 * A browser with cookies, and the gateway that passes them on. A navigation from another site carries no `Strict`
 * cookie.
 */
export function newBrowser(world: Pick<World, 'createCallers' | 'app'>, { address = '192.0.2.1' } = {}) {
  const cookies = new Map<string, Cookie>()
  const caller = (isCrossSite: boolean, load?: Browser['load']): Caller => {
    const sent = [...cookies].filter(([, { sameSite }]) => !isCrossSite || sameSite !== 'Strict')
    const values = Object.fromEntries(sent.map(([name, { value }]) => [name, value]))
    const browser = { address, userAgent: 'Browser/1', cookies: values }
    return world.createCallers(world.app).asAnonymous(load === undefined ? browser : { ...browser, load })
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
  const get = async (path: string, { isCrossSite = false, load }: Request = {}) =>
    stored(await caller(isCrossSite, load).get(path))
  const post = async (path: string, form: Readonly<Record<string, string>> | string) => {
    const body = typeof form === 'string' ? form : new URLSearchParams(form).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return stored(await caller(false).send('post', path, body, headers))
  }
  /** Begins a sign-in, and returns the callback to which the provider leads. */
  const begin = async (path: string): Promise<string> => {
    const { status, headers, text } = await get(path)
    if (status !== 303) throw new Error(`${status} ${text}`)
    return followToCallback(headers['location'] ?? '')
  }
  /** Opens the link of an invitation. Returns the page of the sign-in providers. */
  const open = async (token: string): Promise<string> => {
    const { status, headers, text } = await post('/session/accept', { token })
    if (status !== 303) throw new Error(`${status} ${text}`)
    return headers['location'] ?? ''
  }
  /** `provider`: its id, which further parameters may follow. */
  const beginByLink = async (token: string, provider = 'acme') => begin(`${await open(token)}&provider=${provider}`)
  const callback = (path: string) => get(path, { isCrossSite: true })
  return {
    open,
    beginByLink,
    signInByLink: async (token: string, provider = 'acme') => callback(await beginByLink(token, provider)),
    /** Sends a form of the page that lists the tenants and invitations, to which `location` leads. */
    choose: (location: string, decision: Readonly<Record<string, string>>) => {
      const signIn = new URL(location, 'https://console.example').searchParams.get('sign_in')
      return post('/session/choose-tenant', { ...(signIn === null ? {} : { sign_in: signIn }), ...decision })
    },
    cookies,
    cookie: (name: CookieName) => cookies.get(name)?.value,
    get,
    post,
    begin,
    /** Follows a redirect of the provider. */
    callback,
    /** From the choice of the provider to the end. */
    signIn: async (providerId: string, query = '') =>
      get(await begin(`/session/sign-in?provider=${providerId}${query}`), { isCrossSite: true }),
    stepUp: async (query = '') => get(await begin(`/session/step-up${query}`), { isCrossSite: true }),
  }
}

export type TestBrowser = ReturnType<typeof newBrowser>

/** The path and query of the callback to which the provider redirects at once. */
async function followToCallback(authorizationUrl: string): Promise<string> {
  const response = await fetch(authorizationUrl, { redirect: 'manual' })
  const { pathname, search } = new URL(response.headers.get('location') ?? '')
  return `${pathname}${search}`
}

/** A person of the provider with a verified email address. */
export const verifiedClaims = (email: string, claims: Readonly<Record<string, unknown>> = {}) => ({
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
export const readTitle = ({ text }: Pick<Response, 'text'>): string => /<h1>([^<]*)<\/h1>/.exec(text)?.[1] ?? ''

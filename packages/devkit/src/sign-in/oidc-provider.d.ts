/** The parts of oidc-provider that the development provider uses. The package has no own types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

  export interface Context {
    readonly oidc: {
      readonly provider: Provider
      readonly client: { readonly clientId: string }
      readonly account: { readonly accountId: string }
      readonly result?: { readonly login?: object }
    }
  }

  interface Grant {
    addOIDCScope(scope: string): void
    save(): Promise<string>
  }

  interface Interaction {
    readonly uid: string
    readonly params: Readonly<Record<string, unknown>>
  }

  type InteractionResult =
    | { readonly login: { readonly accountId: string } }
    | { readonly error: string; readonly error_description: string }

  export default class Provider {
    constructor(issuer: string, configuration: object)
    callback(): RequestListener
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: InteractionResult,
      options: { readonly mergeWithLastSubmission: boolean },
    ): Promise<void>
    readonly Grant: new (owner: {
      readonly clientId: string
      readonly accountId: string
    }) => Grant
  }

  class Check {
    static readonly REQUEST_PROMPT: true
    static readonly NO_NEED_TO_PROMPT: false
    constructor(reason: string, description: string, check: (context: Context) => boolean)
  }

  export const interactionPolicy: {
    readonly Check: typeof Check
    base(): { get(name: string): { readonly checks: { add(check: Check): void } } }
  }
}

declare module 'oidc-provider/lib/adapters/memory_adapter.js' {
  /** A new store, which ends with the process. */
  export function createMemoryAdapter(clockToleranceSeconds: number): object
}

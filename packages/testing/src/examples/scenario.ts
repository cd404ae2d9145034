import type { Recorder } from './recorder.ts'

/** Shared by the parts of the recording. */
export interface Scenario {
  readonly recorder: Recorder
  readonly unitId: string
  readonly orchestratorId: string
  readonly roleIds: ReadonlyMap<string, string>
  /** The headers of a request in the session of a person of the development provider. */
  readonly signIn: (person: string) => Promise<Readonly<Record<string, string>>>
  /** The headers of a request with an API key. */
  readonly credentialHeaders: (keyValue: string) => Readonly<Record<string, string>>
  /** As its owner, for what takes a day. */
  readonly paymentsDatabaseUrl: string
  /** Deletes the counts of hours, so that jobs count the present states. */
  readonly countAgain: () => Promise<void>
  /** A destination of webhooks that accepts every delivery, and one that refuses the connection. */
  readonly destinations: { readonly accepting: string; readonly refusing: string }
}

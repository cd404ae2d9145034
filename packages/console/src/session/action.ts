import { AuthenticationError, PaymentServiceConnectionError, PaymentServiceError } from '@payments/client/errors'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { requireSignIn, setTenantDialogClosed } from './gate.ts'
import { hasSession, queryClient, refreshAll } from './query-client.ts'
import { readAllAgain } from './reads.ts'
import { SessionOfAnotherTenant, selfQuery } from './self.ts'

/** The argument of a call: the same one when the call is sent again, so that it has one effect. */
export interface Attempt {
  readonly idempotencyKey: string
  /** For a body with an instant: the same body is sent again. */
  readonly startedAt: Date
}

export interface Action<Input = void> {
  readonly run: (input: Input) => void
  readonly isRunning: boolean
  /** Why the action failed, as a sentence; undefined otherwise. */
  readonly failure: string | undefined
  /** As `failure`, but of errors that a form shows at its fields, too. */
  readonly reason: string | undefined
  /** Why the API rejects one field, by its pointer: `/name`. */
  readonly fieldError: (pointer: string) => string | undefined
  /** Removes the failure. Does nothing while the action runs. */
  readonly reset: () => void
}

interface Options<Input, Output> {
  readonly call: (attempt: Attempt, input: Input) => Promise<Output>
  readonly onSuccess?: ((output: Output) => void) | undefined
  /** Pointers that the form shows at their fields; other errors are in `failure`. */
  readonly fields?: readonly string[]
}

/**
 * A change that a person makes. A session that has ended, or a sign-in that is too old for the operation, is renewed
 * in another tab, and the call continues with the same Idempotency-Key. After an attempt of unknown outcome, the next
 * ones have the same key, until one succeeds: the rejection of a later one says nothing about the first. Afterwards all
 * lists are read again.
 *
 * After a switch of tenant in another tab, the call fails: only the person sends it again, in the tenant of the form.
 *
 * A run while one is in progress does nothing: a double click is one change. An action that has left the page opens no
 * other page.
 */
export function useAction<Output, Input = void>({
  call,
  onSuccess,
  fields = [],
}: Options<Input, Output>): Action<Input> {
  const unknown = useRef<Attempt>(undefined)
  const progress = useRef<'none' | 'running' | 'settled'>('none')
  const [isEarlierUnknown, setEarlierUnknown] = useState(false)
  const isShown = useShown()
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: async (input: Input) => {
      const attempt = unknown.current ?? { idempotencyKey: crypto.randomUUID(), startedAt: new Date() }
      try {
        const output = await callSignedIn(() => call(attempt, input))
        unknown.current = undefined
        return output
      } catch (failure) {
        if (isUnknown(failure)) unknown.current = attempt
        else if (isOfFirst(failure)) unknown.current = undefined
        setEarlierUnknown(unknown.current !== undefined && !isUnknown(failure))
        throw failure
      }
    },
    onSuccess: (output) => {
      // The page that opens next must not show what was there before the change.
      queryClient.removeQueries({
        type: 'inactive',
        predicate: ({ queryKey }) => queryKey[0] !== selfQuery.queryKey[0],
      })
      if (isShown()) onSuccess?.(output)
    },
    onSettled: (_output, failure) => {
      progress.current = 'settled'
      const read = readAllAgain()
      return failure === null ? read : undefined
    },
  })
  // Once the page shows the end: until then, a press is one on the page before.
  useEffect(() => {
    if (progress.current === 'settled') progress.current = 'none'
  })
  const run = (input: Input) => {
    if (progress.current !== 'none') return
    progress.current = 'running'
    mutate(input)
  }
  const errors = error instanceof PaymentServiceError ? error.errors : []
  const shown = errors.filter(({ pointer }) => fields.some((field) => isIn(field, pointer)))
  const earlier = isEarlierUnknown ? ' An earlier attempt may have taken effect.' : ''
  const reason = error === null ? undefined : `${formatError(error)}${earlier}`
  return {
    run,
    isRunning: isPending,
    failure: shown.length > 0 && shown.length === errors.length ? undefined : reason,
    reason,
    fieldError: (pointer) => shown.find((each) => isIn(pointer, each.pointer))?.detail,
    reset: () => {
      if (progress.current !== 'running') reset()
    },
  }
}

/** A call that was not sent. The message says why, and what the person can do. */
export class NotSent extends Error {}

/** Whether the component is still on the page. */
function useShown(): () => boolean {
  const isShown = useRef(false)
  useEffect(() => {
    isShown.current = true
    return () => {
      isShown.current = false
    }
  }, [])
  return () => isShown.current
}

/** Whether a pointer names the field, or an element of it: `/allowed_cidrs/0`. */
const isIn = (field: string, pointer: string) => pointer === field || pointer.startsWith(`${field}/`)

/** Calls once, and again after each sign-in that the API requires, at most twice. */
async function callSignedIn<Output>(call: () => Promise<Output>): Promise<Output> {
  for (let signIns = 0; ; signIns++) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof AuthenticationError) || signIns === 2) throw error
      setTenantDialogClosed(false)
      const isStepUp = error.code === 'step_up_required'
      if (!(await (isStepUp ? requireSignIn('step-up') : hasSession()))) throw error
      // The call is not sent again as another person, or in another tenant.
      await refreshAll().catch((failure: unknown) => {
        throw isUnknown(error) ? error : failure
      })
    }
  }
}

const isUnknown = (error: unknown) =>
  (error instanceof PaymentServiceConnectionError || error instanceof PaymentServiceError) && error.mayHaveTakenEffect

/**
 * Whether the error shows what became of the first attempt with its key: it is the stored outcome, or that attempt had
 * an effect and other values, at which the person has to look.
 */
const isOfFirst = (error: unknown) =>
  error instanceof PaymentServiceError &&
  (error.code === 'idempotency_key_reused' || error.headers.get('Idempotent-Replayed') === 'true')

const otherTenant = 'The session of this browser is for another tenant than this page.'

/** The sentence of a failure, with what support needs to find the request. */
export function formatError(error: Error): string {
  if (error instanceof NotSent) return error.message
  if (error instanceof SessionOfAnotherTenant) return `${otherTenant} This attempt changed nothing.`
  if (!(error instanceof PaymentServiceError || error instanceof PaymentServiceConnectionError))
    return 'The console failed. Load the page again.'
  return `${describeFailure(error)} (Trace-ID ${error.traceId})`
}

function describeFailure(error: PaymentServiceError | PaymentServiceConnectionError): string {
  if (error instanceof PaymentServiceConnectionError) {
    const outcome = error.mayHaveTakenEffect
      ? ' It may have taken effect. Sent again without a change, it takes effect once.'
      : ''
    return `The platform did not respond.${outcome}`
  }
  if (error.code === 'session_of_another_tenant') {
    const outcome = error.mayHaveTakenEffect
      ? 'An earlier attempt may have taken effect.'
      : 'This attempt changed nothing.'
    return `${otherTenant} ${outcome}`
  }
  if (error.code === 'tenant_suspended') return 'Your organization is suspended, so none of its requests is accepted.'
  if (error.code === 'idempotency_key_reused')
    return 'An earlier attempt, with other values, reached the platform. Look at its effect before you send this one.'
  return formatProblem(error)
}

/** The errors of fields, after the detail where it says more than the first of them. */
function formatProblem({ detail, errors }: PaymentServiceError): string {
  const wrong = errors.map((error) => `${error.pointer.replace(/^\/(?:query\/)?/, '')} ${error.detail}`).join('; ')
  if (wrong === '') return detail
  return detail.includes(errors[0]?.detail ?? '') ? wrong : `${detail}: ${wrong}`
}

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { reportFailure } from '../session/connection.ts'
import { announce } from '../session/gate.ts'
import { clearTenant, leave, postForm } from '../session/sign-in.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Form } from './form.tsx'

/** A sign-out, or a switch to another tenant: a form of the sign-in. */
export interface SessionChange {
  readonly path: string
  /** Sent to the other tabs. */
  readonly message: 'signed-out' | 'session-changed'
  readonly fields: Readonly<Record<string, string>>
  /** The title of the dialog after a failure, such as “The sign-out failed”. */
  readonly failed: string
  /** The text of the button that sends the form again. */
  readonly again: string
  /** The state that a failure leaves, such as “signed in”. */
  readonly remains: string
}

export const signOut: SessionChange = {
  path: '/session/sign-out',
  message: 'signed-out',
  fields: {},
  failed: 'The sign-out failed',
  again: 'Sign out again',
  remains: 'signed in',
}

class SessionNotChanged extends Error {
  override name = 'SessionNotChanged'
}

/** Posts the form, and opens the page that it leads to. Other tabs notice that the session has changed. */
async function post({ path, message, fields, remains }: SessionChange): Promise<void> {
  const { ok, status, headers, redirected, url } = await postForm(path, fields).catch(() => {
    void reportFailure()
    throw new SessionNotChanged(`Payment Service did not respond. You may still be ${remains}.`)
  })
  if (!ok) {
    // After an error of a process, the outcome is unknown.
    const certainty = status < 500 || status === 503 ? 'are' : 'may be'
    const traceId = headers.get('trace-id')
    const trace = traceId === null ? '' : ` (Trace-ID ${traceId})`
    throw new SessionNotChanged(
      `Payment Service responded with status ${status}. You ${certainty} still ${remains}.${trace}`,
    )
  }
  clearTenant()
  announce(message)
  leave(redirected ? url : '/session/sign-in')
}

/** Returns the function that changes the session, and the dialog that a failure opens. */
export function useSessionChange() {
  const { mutate, variables: change, isPending, error, reset } = useMutation({ mutationFn: post })
  const [hasFailed, setFailed] = useState(false)
  const send = (next: SessionChange) => mutate(next, { onError: () => setFailed(true) })
  const close = () => {
    reset()
    setFailed(false)
  }
  const dialog =
    hasFailed && change !== undefined ? (
      <Dialog title={change.failed} onClose={close}>
        <Form
          action={{ isRunning: isPending, failure: error?.message }}
          submit={change.again}
          onSubmit={() => send(change)}
          onCancel={close}
          dismiss="Close"
        >
          {null}
        </Form>
      </Dialog>
    ) : null
  return [send, dialog] as const
}

/** The ways out of a session in which the console does not open. */
export function LeaveSession() {
  const [changeSession, dialog] = useSessionChange()
  return (
    <p className="row">
      <a className="button" href="/session/choose-tenant">
        Choose another organization
      </a>
      <button type="button" onClick={() => changeSession(signOut)}>
        Sign out
      </button>
      {dialog}
    </p>
  )
}

import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { type Action, type Attempt, useAction } from '../session/action.ts'
import { Notice } from '../ui/content.tsx'
import { Dialog, useOpenDialogWhile } from '../ui/dialog.tsx'

interface FormProps {
  readonly action: Pick<Action<never>, 'isRunning' | 'failure'> & Partial<Pick<Action<never>, 'reason'>>
  readonly submit: string
  readonly kind?: 'primary' | 'danger' | undefined
  readonly isReady?: boolean
  readonly onSubmit: () => void
  readonly onCancel?: () => void
  /** The text of the button that closes the form. */
  readonly dismiss?: string | undefined
  /** Whether a dialog starts at the button that changes nothing. */
  readonly isSafeFirst?: boolean
  readonly children?: ReactNode
}

/**
 * A form of one action: its fields, why it failed, and its button, which is off while the action runs. After a failure
 * the focus moves to the first field with an error, otherwise to the reason.
 */
export function Form({
  action,
  submit,
  kind = 'primary',
  isReady = true,
  onSubmit,
  onCancel,
  dismiss = 'Cancel',
  isSafeFirst = false,
  children,
}: FormProps) {
  const { form, failure } = useFailure(action)
  useOpenDialogWhile(action.isRunning)
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (!action.isRunning && isReady) onSubmit()
  }
  return (
    <form ref={form} className="stack" onSubmit={send} onInvalidCapture={showField} autoComplete="off">
      {children}
      {failure === undefined ? null : <Notice tone="bad">{failure}</Notice>}
      <div className="row">
        <button type="submit" data-kind={kind} disabled={!isReady} aria-disabled={action.isRunning}>
          {action.isRunning ? 'One moment …' : submit}
        </button>
        {onCancel === undefined ? null : (
          <button
            type="button"
            data-start={isSafeFirst || undefined}
            aria-disabled={action.isRunning}
            onClick={action.isRunning ? undefined : onCancel}
          >
            {dismiss}
          </button>
        )}
      </div>
    </form>
  )
}

/** A field that the browser rejects is shown, also in a closed part of the form. */
function showField({ target }: FormEvent): void {
  if (target instanceof Element) target.closest('details')?.setAttribute('open', '')
}

/**
 * Focuses the first error once the action has ended. Returns the failure to show: also the failure of fields, where the
 * form shows none of them. A form that the success closes is gone by then.
 */
function useFailure({ isRunning, failure, reason }: FormProps['action']) {
  const form = useRef<HTMLFormElement>(null)
  const wasRunning = useRef(isRunning)
  const [isUnplaced, setUnplaced] = useState(false)
  useEffect(() => {
    const hasEnded = wasRunning.current && !isRunning
    wasRunning.current = isRunning
    if (isRunning) setUnplaced(false)
    if (!hasEnded && !isUnplaced) return
    const error = form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [role="alert"][tabindex]')
    error?.closest('details')?.setAttribute('open', '')
    error?.focus()
    if (hasEnded) setUnplaced(error === null && reason !== undefined)
  }, [isRunning, isUnplaced, reason])
  return { form, failure: failure ?? (isUnplaced ? reason : undefined) }
}

interface FormDialogProps extends Omit<FormProps, 'action' | 'onSubmit' | 'onCancel'> {
  readonly title: string
  readonly action: Action
  readonly onClose: () => void
}

/** A form in a dialog, which its second button closes. */
export function FormDialog({ title, onClose, action, ...form }: FormDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Form action={action} onSubmit={action.run} onCancel={onClose} {...form} />
    </Dialog>
  )
}

interface FormOptions<Values, Output> {
  /** By the pointers of the fields of the API, without the first slash, where the form has the same fields. */
  readonly initial: Values | (() => Values)
  /** Pointers of the errors that the form shows at its fields. Default: the names of the values. */
  readonly fields?: readonly string[]
  readonly call: (values: Values, attempt: Attempt) => Promise<Output>
  readonly onSuccess?: (output: Output, change: (part: Partial<Values>) => void) => void
}

/** The values of a form, the action that sends them, and `bind`, which gives a field its value and its error. */
export function useForm<Values extends object, Output>({
  initial,
  fields,
  call,
  onSuccess,
}: FormOptions<Values, Output>) {
  const [values, setValues] = useState(initial)
  const change = (part: Partial<Values>) => setValues((before) => ({ ...before, ...part }))
  const action = useAction({
    call: (attempt) => call(values, attempt),
    onSuccess: (output) => onSuccess?.(output, change),
    fields: fields ?? Object.keys(values).map((name) => `/${name}`),
  })
  return { values, change, action, bind: bindTo(values, change, action.fieldError) }
}

/** Binds a field of a form to the value with this name. Default of the pointer of its error: `/` and the name. */
export const bindTo =
  <Values extends object>(
    values: Values,
    onChange: (part: Partial<Values>) => void,
    fieldError: (pointer: string) => string | undefined,
  ) =>
  <Name extends keyof Values & string>(name: Name, pointer = `/${name}`) => ({
    value: values[name],
    onChange: (value: Values[Name]) => onChange({ [name]: value } as unknown as Partial<Values>),
    error: fieldError(pointer),
  })

export type Bind<Values extends object> = ReturnType<typeof bindTo<Values>>

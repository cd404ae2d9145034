import { PaymentServiceError } from '@payments/client/errors'
import type { Template } from '@payments/client/schemas'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { formatError } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { useDenial } from '../../session/self.ts'
import { foreign, formatQuantity } from '../../text/format.ts'
import { Notice, Source } from '../../ui/content.tsx'

interface RenderedMessageProps {
  readonly template: Template
  /** The business unit whose branding a built-in template gets. */
  readonly unitId: string | null
  /** Values of variables. Those that the template does not declare are left out. */
  readonly values: Readonly<Record<string, string>>
  /** Language of a built-in template. Default: the language of the business unit. */
  readonly locale?: string
}

/** The message that a template gives with these values, rendered by the API. */
export function RenderedMessage(props: RenderedMessageProps) {
  // Another template has other variables: it starts with its own values, and not with those that have settled.
  return <Rendering key={props.template.id} {...props} />
}

function Rendering({ template, unitId, values, locale = '' }: RenderedMessageProps) {
  const denial = useDenial()('previewTemplate')
  const declared = template.variables.filter(({ name }) => values[name] !== undefined)
  const text = useSettled(JSON.stringify(Object.fromEntries(declared.map(({ name }) => [name, values[name]]))))
  const language = useSettled(locale)
  const body = {
    business_unit_id: unitId,
    variables: JSON.parse(text),
    ...(language === '' ? {} : { locale: language }),
  }
  const { data, error } = useQuery({
    queryKey: ['templates', template.id, 'preview', template.version, unitId, text, language],
    queryFn: ({ signal }) => api.previewTemplate({ template_id: template.id, body }, { signal }),
    enabled: denial === undefined,
    placeholderData: keepPreviousData,
  })
  if (denial !== undefined) return <Notice tone="info">The preview {denial}.</Notice>
  if (error !== null) return <Notice tone="warning">{describeFailure(error)}</Notice>
  return data === undefined ? null : <MessageParts {...data} />
}

/** A value that the template needs, or does not take, has the name of its variable. */
function describeFailure(error: Error): string {
  const errors = error instanceof PaymentServiceError ? error.errors : []
  const wrong = errors.flatMap(({ pointer, detail }) => {
    const name = /^\/variables\/(.+)$/.exec(pointer)?.[1]
    return name === undefined ? [] : [`${name} ${detail}`]
  })
  if (wrong.length === 0 || wrong.length < errors.length) return formatError(error)
  return `There is no preview yet: ${foreign(wrong.join('; '))}.`
}

/** The parts of a message: its text, and its HTML as source. Markup of a template is not rendered here. */
export function MessageParts({ subject, text, html }: { subject: string | null; text: string; html: string | null }) {
  return (
    <div className="stack">
      {subject === null ? (
        <small>{formatQuantity(text.length, 'character')}</small>
      ) : (
        <p>
          <small>Subject</small> <strong>{foreign(subject)}</strong>
        </p>
      )}
      <Source label="Text of the message" text={text} />
      {html === null ? null : (
        <details>
          <summary>HTML source</summary>
          <Source label="HTML source of the message" text={html} />
        </details>
      )}
    </div>
  )
}

const settledMs = 500

/** The text once it did not change for half a second, so that typing does not send a request per letter. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), settledMs)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

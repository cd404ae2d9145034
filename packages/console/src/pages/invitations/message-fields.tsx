import type { Template } from '@payments/client/schemas'
import { LocaleField } from '../../layout/locale-field.tsx'
import { foreign } from '../../text/foreign.ts'
import { ownValue } from '../../text/own-value.ts'
import { Field } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { ownVariablesOf, templateOfInvitation } from '../messages/templates.ts'
import type { Draft } from './draft.ts'

type Message = Pick<
  Draft,
  'channel' | 'recipient' | 'locale' | 'payerName' | 'description' | 'templateId' | 'variables'
>

interface MessageFieldsProps {
  readonly message: Message
  readonly templates: readonly Template[]
  readonly failureOf: (pointer: string) => string | undefined
  readonly onChange: (part: Partial<Message>) => void
  /** Why the recipient cannot be changed. */
  readonly fixedRecipient?: string | undefined
}

/** The fields of the API that these fields show. */
export const messageFields = ['/recipient', '/locale', '/template_id', '/communication_details']

/** The payer, and the content of the message. */
export function MessageFields({ message, templates, failureOf, onChange, fixedRecipient }: MessageFieldsProps) {
  const isEmail = message.channel === 'EMAIL'
  /** The API rejects a missing detail that the template requires as one of its variables. */
  const failureOfDetail = (name: string) =>
    failureOf(`/communication_details/${name}`) ?? failureOf(`/communication_details/variables/${name}`)
  return (
    <>
      <Field label={isEmail ? 'Email address' : 'Phone number'} hint={fixedRecipient} error={failureOf('/recipient')}>
        {(control) => (
          <input
            {...control}
            required
            readOnly={fixedRecipient !== undefined}
            type={isEmail ? 'email' : 'tel'}
            placeholder={isEmail ? 'payer@example.com' : '+4930123456'}
            maxLength={320}
            value={message.recipient}
            onChange={({ target }) => onChange({ recipient: target.value })}
          />
        )}
      </Field>
      <LocaleField
        label="Language of the payer"
        none="that of the transaction, the browser or the business unit"
        value={message.locale}
        error={failureOf('/locale')}
        onChange={(locale) => onChange({ locale })}
      />
      <Field label="Name of the payer" error={failureOfDetail('payer_name')}>
        {(control) => (
          <input
            {...control}
            maxLength={100}
            value={message.payerName}
            onChange={({ target }) => onChange({ payerName: target.value })}
          />
        )}
      </Field>
      <Field
        label="Purpose"
        hint={isEmail ? 'In the message and on the pay page.' : 'On the pay page.'}
        error={failureOfDetail('description')}
      >
        {(control) => (
          <input
            {...control}
            maxLength={200}
            value={message.description}
            onChange={({ target }) => onChange({ description: target.value })}
          />
        )}
      </Field>
      <TemplateFields message={message} templates={templates} failureOf={failureOf} onChange={onChange} />
    </>
  )
}

function TemplateFields({ message, templates, failureOf, onChange }: MessageFieldsProps) {
  // The API rejects an invitation without the link.
  const hasLink = ({ variables }: Template) => variables.some(({ name }) => name === 'payment_url')
  const own = templates.filter((template) => template.kind === 'custom' && hasLink(template))
  const chosen = message.templateId === '' ? null : message.templateId
  if (own.length === 0 && chosen === null) return null
  const options = own.map(({ id, name, locale }) => ({
    value: id,
    label: locale === null ? foreign(name) : `${foreign(name)} (${locale})`,
  }))
  const isListed = chosen === null || own.some(({ id }) => id === chosen)
  return (
    <>
      <Field label="Template" error={failureOf('/template_id')}>
        {(control) => (
          <Select
            {...control}
            value={message.templateId}
            options={[
              { value: '', label: 'Built-in' },
              ...options,
              ...(isListed ? [] : [{ value: String(chosen), label: 'As before' }]),
            ]}
            onChange={(templateId) => onChange({ templateId, variables: {} })}
          />
        )}
      </Field>
      {ownVariablesOf(templateOfInvitation(templates, chosen)).map(({ name, description, required }) => (
        <Field
          key={name}
          label={name}
          hint={description === '' ? undefined : foreign(description)}
          error={failureOf(`/communication_details/variables/${name}`)}
        >
          {(control) => (
            <input
              {...control}
              required={required}
              maxLength={1_000}
              value={ownValue(message.variables, name) ?? ''}
              onChange={({ target }) => onChange({ variables: { ...message.variables, [name]: target.value } })}
            />
          )}
        </Field>
      ))}
    </>
  )
}

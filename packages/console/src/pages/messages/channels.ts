import type { Template } from '@payments/client/schemas'
import type { Option } from '../../ui/fields.tsx'

type Channel = Template['communication_type']

export const channelNames: Readonly<Record<Channel, string>> = { EMAIL: 'Email', SMS: 'SMS' }

export const channelOptions: readonly Option<Channel>[] = [
  { value: 'EMAIL', label: channelNames.EMAIL },
  { value: 'SMS', label: channelNames.SMS },
]

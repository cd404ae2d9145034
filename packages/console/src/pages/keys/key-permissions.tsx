import type { ExplainedPermission } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Loaded } from '../../layout/loaded.tsx'
import { PermissionMatrix } from '../../parts/access/permission-matrix.tsx'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/foreign.ts'
import { Section } from '../../ui/section.tsx'

const permissionsMax = 200

/** The permissions of the key, and which role grants each of them. */
export function KeyPermissions({ keyId }: { keyId: string }) {
  const query = useQuery({
    queryKey: ['keys', keyId, 'permissions'],
    queryFn: async ({ signal }) => {
      const args = { api_key_id: keyId, explain: 'true', limit: permissionsMax } as Parameters<
        typeof api.readKeyPermissions
      >[0]
      const page = await api.readKeyPermissions(args, { signal }).page()
      return page.data as unknown as readonly ExplainedPermission[]
    },
  })
  return (
    <Section title="What this key may do">
      <Loaded query={query}>
        {(permissions) => (
          <PermissionMatrix
            granted={
              new Map(
                permissions.map(({ permission, granted_by }) => [
                  permission,
                  `by ${granted_by.map(({ role_name }) => foreign(role_name)).join(', ')}`,
                ]),
              )
            }
          />
        )}
      </Loaded>
    </Section>
  )
}

import { bytesSql, partOfList, partOfSizes, type SizedTable } from '@payments/chassis/database/list-part'
import type { ListPart } from '@payments/contracts/grammar/page'
import type { CommunicationType, TemplateContent, TemplateFacts, Translation } from '../domain/template.ts'
import type { Prisma } from '../generated/client.ts'
import type { TemplateModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

export interface TemplateInsert extends TemplateContent {
  readonly id: string
  readonly businessUnitId: string | null
  readonly communicationType: CommunicationType
  readonly translates: boolean
}

/** Versions of one template that stay stored. */
const versionsMax = 100

export async function insertTemplate(tx: Tx, tenantId: string, template: TemplateInsert): Promise<TemplateFacts> {
  const { id, businessUnitId, communicationType, translates, ...content } = template
  const columns = toColumns(content)
  const row = await tx.template.create({
    data: { id, tenantId, businessUnitId, communicationType, translates, version: 1, ...columns },
  })
  await tx.templateVersion.create({ data: { templateId: id, tenantId, version: 1, ...columns } })
  return toTemplate(row)
}

/** Null for a deleted template too. */
export async function findTemplate(tx: Tx, tenantId: string, id: string): Promise<TemplateFacts | null> {
  const row = await tx.template.findFirst({ where: { tenantId, id, deletedAt: null } })
  return row === null ? null : toTemplate(row)
}

/** Translations of one template that count, the newest: two for each language of messages. */
const translationsMax = 24

/** The templates with its name, channel and business unit that have a language and translate it, newest first. */
export async function listTranslations(tx: Tx, tenantId: string, of: TemplateFacts): Promise<Translation[]> {
  const { id, name, communicationType, businessUnitId } = of
  const same = { name, communicationType, businessUnitId }
  const rows = await tx.template.findMany({
    where: { tenantId, deletedAt: null, translates: true, locale: { not: null }, id: { not: id }, ...same },
    orderBy: { id: 'desc' },
    take: translationsMax,
    select: { id: true, locale: true, variables: true },
  })
  return rows.map((row) => ({ ...row, variables: variablesIn(row.variables) }))
}

/** As findTemplate; concurrent changes of the template wait until this transaction ends. */
export async function lockTemplate(tx: Tx, tenantId: string, id: string): Promise<TemplateFacts | null> {
  await tx.$queryRaw`SELECT 1 FROM templates WHERE tenant_id = ${tenantId}::uuid AND id = ${id}::uuid FOR UPDATE`
  return findTemplate(tx, tenantId, id)
}

export function countTemplates(tx: Tx, tenantId: string): Promise<number> {
  return tx.template.count({ where: { tenantId, deletedAt: null } })
}

export interface TemplateQuery {
  readonly before: string | undefined
  readonly limit: number
  readonly businessUnitId: string | undefined
  readonly communicationType: CommunicationType | undefined
  readonly locale: string | undefined
}

const contentBytes = bytesSql(['name', 'subject', 'text', 'html', 'variables'])
const sized: SizedTable = { table: 'templates', bytes: contentBytes }

/** Newest first. */
export async function list(tx: Tx, tenantId: string, query: TemplateQuery): Promise<ListPart<TemplateFacts, string>> {
  const { before, limit, businessUnitId, communicationType, locale } = query
  const filters = {
    ...(before === undefined ? {} : { id: { lt: before } }),
    ...(businessUnitId === undefined ? {} : { OR: [{ businessUnitId }, { businessUnitId: null }] }),
    ...(communicationType === undefined ? {} : { communicationType }),
    ...(locale === undefined ? {} : { locale }),
  }
  const orderBy = { id: 'desc' } as const
  const where = { tenantId, deletedAt: null, ...filters }
  const found = await tx.template.findMany({ where, orderBy, take: limit + 1, select: { id: true } })
  return partOfList(tx, tenantId, { of: sized, ids: found.map(({ id }) => id), limit }, async (ids) => {
    const rows = await tx.template.findMany({ where: { tenantId, id: { in: ids } }, orderBy })
    return rows.map(toTemplate)
  })
}

/**
 * Stores the content as the version after the current one, which translates others. The transaction holds the lock of
 * the template.
 */
export async function addVersion(
  tx: Tx,
  tenantId: string,
  current: TemplateFacts,
  content: TemplateContent,
): Promise<TemplateFacts> {
  const { id } = current
  const version = current.version + 1
  const columns = toColumns(content)
  await tx.templateVersion.create({ data: { templateId: id, tenantId, version, ...columns } })
  await tx.templateVersion.deleteMany({ where: { tenantId, templateId: id, version: { lte: version - versionsMax } } })
  return toTemplate(
    await tx.template.update({ where: { id, tenantId }, data: { version, translates: true, ...columns } }),
  )
}

/** Deletes the template with its versions. The transaction holds its lock. */
export async function removeTemplate(tx: Tx, tenantId: string, id: string): Promise<void> {
  await tx.templateVersion.deleteMany({ where: { tenantId, templateId: id } })
  await tx.template.delete({ where: { id, tenantId }, select: { id: true } })
}

/** Newest first. */
export async function listVersions(
  tx: Tx,
  tenantId: string,
  templateId: string,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<ListPart<TemplateContent & { version: number; createdAt: Date }, number>> {
  const sizes = await tx.$queryRawUnsafe<{ key: number; bytes: number }[]>(
    `SELECT version AS key, ${contentBytes} AS bytes FROM template_versions
     WHERE tenant_id = $1::uuid AND template_id = $2::uuid AND ($3::int IS NULL OR version < $3::int)
     ORDER BY version DESC LIMIT $4::int`,
    tenantId,
    templateId,
    before ?? null,
    limit + 1,
  )
  return partOfSizes(sizes, limit, async (versions) => {
    const rows = await tx.templateVersion.findMany({
      where: { tenantId, templateId, version: { in: versions } },
      orderBy: { version: 'desc' },
    })
    return rows.map((row) => ({ ...row, variables: variablesIn(row.variables) }))
  })
}

function toColumns({ name, locale, subject, text, html, variables }: TemplateContent) {
  return { name, locale, subject, text, html, variables: variables as unknown as Prisma.InputJsonValue }
}

function toTemplate(row: TemplateModel): TemplateFacts {
  return { ...row, kind: 'custom', variables: variablesIn(row.variables) }
}

function variablesIn(json: unknown): TemplateContent['variables'] {
  return json as TemplateContent['variables']
}

/** Arguments and results of each operation, from the types of the OpenAPI documents. */
import type { Call, CallOptions, OperationName } from './call.ts'
import type { operations as Documented } from './generated/openapi.ts'
import type { groups, operations } from './generated/operations.ts'
import type { List, ListOptions } from './list.ts'

type None = Record<never, never>
type Shown<T> = { [Name in keyof T]: T[Name] }

type PathParameters<P> = P extends { path: infer Path } ? Path : None
type QueryParameters<P> = P extends { query?: infer Query }
  ? [NonNullable<Query>] extends [never]
    ? None
    : NonNullable<Query>
  : None

interface Json<Body> {
  content: { 'application/json': Body }
}

type BodyArgument<Op> = Op extends { requestBody: Json<infer Body> }
  ? { body: Body }
  : Op extends { requestBody?: infer Optional }
    ? NonNullable<Optional> extends Json<infer Body>
      ? [NonNullable<Optional>] extends [never]
        ? None
        : { body?: Body }
      : None
    : None

/** Parameters of the path and of the query side by side, and `body`. */
export type Arguments<Name extends OperationName> = Shown<
  PathParameters<Documented[Name]['parameters']> &
    QueryParameters<Documented[Name]['parameters']> &
    BodyArgument<Documented[Name]>
>

type Content<Response> = Response extends { content: { 'application/json': infer Body } } ? Body : undefined
type Responses<Name extends OperationName> = Documented[Name]['responses']

/** The body of the successful response. */
export type Result<Name extends OperationName> = Content<Responses<Name>[keyof Responses<Name>]>

type Item<Body> = Body extends { data: (infer One)[] } ? One : never

type Method<Args, Options, Returned> = None extends Args
  ? (args?: Args, options?: Options) => Returned
  : (args: Args, options?: Options) => Returned

/** One method per operation of the API. */
type Methods = {
  readonly [Name in keyof typeof operations]: (typeof operations)[Name]['list'] extends true
    ? Method<Arguments<Name>, ListOptions, List<Item<Result<Name>>>>
    : Method<Arguments<Name>, CallOptions, Call<Result<Name>>>
}

type Group<Members extends Readonly<Record<string, OperationName>>> = {
  readonly [Member in keyof Members]: Methods[Members[Member]]
}

/** Each operation by its name, and by its resource: `captureTransaction`, `transactions.capture`. */
export type PaymentServiceClient = Methods & {
  readonly [Name in keyof typeof groups]: Group<(typeof groups)[Name]>
}

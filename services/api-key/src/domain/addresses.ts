import { type AddressBlock, addressBits, parseAddressBlock } from '@payments/contracts/grammar/cidr'

/** The first and the last address, both included. */
type Range = readonly [first: bigint, last: bigint]

/**
 * Whether every address of `inner` is in `outer`. An empty list contains every address. Families are compared
 * separately: `::/0` contains no IPv4 address.
 */
export function covers(outer: readonly string[], inner: readonly string[]): boolean {
  return ([4, 6] as const).every((family) => {
    const allowed = mergeRanges(toRanges(outer, family))
    return toRanges(inner, family).every(([first, last]) =>
      allowed.some((range) => range[0] <= first && last <= range[1]),
    )
  })
}

function toRanges(cidrs: readonly string[], family: 4 | 6): Range[] {
  if (cidrs.length === 0) return [toRange({ family, first: 0n, length: 0 })]
  return cidrs
    .map(requireBlock)
    .filter((block) => block.family === family)
    .map(toRange)
}

function toRange({ family, first, length }: AddressBlock): Range {
  return [first, first + (1n << BigInt(addressBits[family] - length)) - 1n]
}

/** Merges adjacent ranges, so that two halves cover their block. */
function mergeRanges(ranges: Range[]): Range[] {
  const result: Range[] = []
  for (const [first, last] of ranges.sort(([a], [b]) => (a < b ? -1 : 1))) {
    const before = result.at(-1)
    if (before === undefined || first > before[1] + 1n) result.push([first, last])
    else result[result.length - 1] = [before[0], last > before[1] ? last : before[1]]
  }
  return result
}

function requireBlock(cidr: string): AddressBlock {
  const block = parseAddressBlock(cidr)
  if (block === undefined) throw new Error(`the stored value ${cidr} is not a CIDR block`)
  return block
}

import type { Argument, Command, Option } from 'commander'

/** The command tree as data, for the completion scripts and for docs/payctl.md. */
export interface CommandNode {
  /** The words after `payctl`. Empty for payctl itself. */
  readonly path: readonly string[]
  readonly description: string
  readonly arguments: readonly ParameterNode[]
  readonly options: readonly OptionNode[]
  readonly commands: readonly CommandNode[]
}

interface ParameterNode {
  /** As in the help: `<queue>`, or `[queue]` where it may be left out. */
  readonly term: string
  readonly description: string
  readonly choices: readonly string[]
}

export interface OptionNode extends ParameterNode {
  /** With both dashes. */
  readonly long: string
  readonly takesValue: boolean
  /** Whether the value is the path of a file or a directory. */
  readonly takesFile: boolean
  readonly mandatory: boolean
}

export function buildCommandTree(command: Command, path: readonly string[] = []): CommandNode {
  return {
    path,
    description: command.description(),
    arguments: command.registeredArguments.map(argumentNode),
    options: command.createHelp().visibleOptions(command).map(optionNode),
    commands: command.commands.map((one) => buildCommandTree(one, [...path, one.name()])),
  }
}

/** The node and every node below, parents first. */
export function everyCommand(node: CommandNode): CommandNode[] {
  return [node, ...node.commands.flatMap(everyCommand)]
}

function argumentNode(argument: Argument): ParameterNode {
  return {
    term: argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
    description: argument.description,
    choices: argument.argChoices ?? [],
  }
}

function optionNode(option: Option): OptionNode {
  return {
    term: option.flags,
    description: option.description,
    choices: option.argChoices ?? [],
    long: option.long ?? option.flags,
    takesValue: option.required || option.optional,
    takesFile: /<(path|file|directory)>/.test(option.flags),
    mandatory: option.mandatory,
  }
}

/**
 * An Apache Thrift interface as plain data, which `printIdl` writes as `.thrift` text for the Thrift compiler. Pure: no I/O.
 */

/** A base type of Thrift. */
export type IdlBase = 'bool' | 'i16' | 'i32' | 'i64' | 'double' | 'string' | 'binary'
/** A type of Thrift: a base type, a container, or a struct or exception by name. */
export type IdlType = IdlBase | { list: IdlType } | { map: [IdlType, IdlType] } | { struct: string }

/** A field of a struct or exception, or a parameter of a function. */
export interface IdlField {
  /** From 1; unique within its struct or parameter list. */
  id: number
  name: string
  type: IdlType
  /** An optional field may be absent; any other is always written, and read as its zero value when a peer left it out. */
  optional?: boolean
  doc?: string
}

/** A struct or an exception. */
export interface IdlStruct {
  name: string
  fields: IdlField[]
  doc?: string
}

/** A function of a service. */
export interface IdlFunction {
  name: string
  params: IdlField[]
  /** `null` is `void`. */
  returns: IdlType | null
  /** Declared exceptions: fields whose type is one of the model's exceptions. */
  throws: IdlField[]
  oneway?: boolean
  doc?: string
}

/** A service: functions that one server serves. */
export interface IdlService {
  name: string
  functions: IdlFunction[]
  doc?: string
}

/** A whole interface: the content of one `.thrift` file. `doc` texts become its comments. */
export interface IdlModel {
  /** Namespace of the generated stubs. */
  namespace: string
  doc?: string
  structs: IdlStruct[]
  exceptions: IdlStruct[]
  services: IdlService[]
}

/** Words that the compiler, or a language it generates, keeps for itself; no name of a model may be one. */
const RESERVED = new Set(
  `abstract alias alignas alignof and args as asm assert async auto await begin binary bool bool_ boolean break byte case
  catch char char16_t char32_t class clone compl concept const const_cast constexpr continue cpp_include cpp_namespace
  cpp_type debugger declare decltype def default del delete do double dynamic dynamic_cast elif else elseif elsif end
  endfor endforeach endif endswitch endwhile ensure enum eval except exception exec explicit export extends extern
  False false final finally float for foreach friend from function global goto i128 i16 i32 i64 i8 if implements import
  in include inline instanceof int interface is lambda let list long map module mutable namespace native new next nil
  noexcept None nonlocal not not_eq null nullptr oneway operator optional or or_eq package pass print private protected
  public raise redo register reinterpret_cast required requires rescue result retry return retval self service set short
  signed sizeof slist static static_assert static_cast string struct success super switch synchronized template then this
  thread_local throw throws transient True true try typedef typeid typename typeof undef union unless unsigned until
  use using uuid var virtual void volatile wchar_t when while with xor xor_eq xsd_all xsd_attrs xsd_namespace
  xsd_nillable xsd_optional yield read write send recv __construct`.split(/\s+/),
)

/** True when a name may not be used in a model, because Thrift or a language it generates reserves it. */
export function isReservedName(name: string): boolean {
  return RESERVED.has(name)
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/** What is wrong with a model, one sentence each; empty when the compiler would accept it. */
export function checkIdl(model: IdlModel): string[] {
  const problems: string[] = []
  const structs = new Set(model.structs.map((struct) => struct.name))
  const exceptions = new Set(model.exceptions.map((struct) => struct.name))
  const name = (text: string, what: string) => {
    if (!NAME.test(text)) problems.push(`${what} '${text}' is not a name (letters, digits and '_').`)
    else if (isReservedName(text)) problems.push(`${what} '${text}' is a reserved word of Thrift.`)
  }
  const type = (of: IdlType, where: string): void => {
    if (typeof of === 'string') return
    if ('list' in of) return type(of.list, where)
    if ('map' in of) {
      for (const part of of.map) type(part, where)
      return
    }
    if (!structs.has(of.struct))
      problems.push(`${where} uses the struct '${of.struct}', which is not defined.`)
  }
  const fields = (list: IdlField[], where: string, ofException = false) => {
    unique(
      list.map((field) => field.name),
      `${where}: field`,
      problems,
    )
    unique(
      list.map((field) => String(field.id)),
      `${where}: field id`,
      problems,
    )
    for (const field of list) {
      name(field.name, `${where}: the field`)
      if (!Number.isInteger(field.id) || field.id < 1 || field.id > 32767)
        problems.push(`${where}: field '${field.name}' has the id ${field.id}; ids go from 1 to 32767.`)
      if (!ofException) type(field.type, `${where}: field '${field.name}'`)
    }
  }
  if (!NAME.test(model.namespace)) problems.push(`The namespace '${model.namespace}' is not a name.`)
  const all = [...model.structs, ...model.exceptions, ...model.services]
  unique(
    all.map((item) => item.name),
    'The definition',
    problems,
  )
  for (const item of all) name(item.name, 'The definition')
  for (const struct of [...model.structs, ...model.exceptions]) fields(struct.fields, struct.name)
  for (const service of model.services) {
    unique(
      service.functions.map((fn) => fn.name),
      `${service.name}: function`,
      problems,
    )
    for (const fn of service.functions) {
      const where = `${service.name}.${fn.name}`
      name(fn.name, 'The function')
      fields(fn.params, where)
      fields(fn.throws, `${where} throws`, true)
      if (fn.returns) type(fn.returns, `${where}: the result`)
      for (const thrown of fn.throws)
        if (
          typeof thrown.type === 'string' ||
          !('struct' in thrown.type) ||
          !exceptions.has(thrown.type.struct)
        )
          problems.push(`${where} throws '${thrown.name}', whose type is not one of the model's exceptions.`)
      if (fn.oneway && (fn.returns || fn.throws.length > 0))
        problems.push(`${where} is oneway, so it can neither return nor throw.`)
    }
  }
  return problems
}

function unique(names: string[], what: string, problems: string[]): void {
  const seen = new Set<string>()
  for (const name of names) {
    if (seen.has(name)) problems.push(`${what} '${name}' is defined twice.`)
    seen.add(name)
  }
}

/** A type as `.thrift` text spells it. */
export function printType(type: IdlType | null): string {
  if (type === null) return 'void'
  if (typeof type === 'string') return type
  if ('list' in type) return `list<${printType(type.list)}>`
  if ('map' in type) return `map<${printType(type.map[0])}, ${printType(type.map[1])}>`
  return type.struct
}

function printDoc(doc: string | undefined, indent: string): string {
  if (!doc) return ''
  const lines = doc.trim().replaceAll('*/', '* /').split('\n')
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`
}

function printField(field: IdlField): string {
  return `${field.id}: ${field.optional ? 'optional ' : ''}${printType(field.type)} ${field.name}`
}

function printStruct(keyword: 'struct' | 'exception', struct: IdlStruct): string {
  const fields = struct.fields.map((field) => `${printDoc(field.doc, '  ')}  ${printField(field)}\n`)
  return `${printDoc(struct.doc, '')}${keyword} ${struct.name} {\n${fields.join('')}}\n`
}

function printFunction(fn: IdlFunction): string {
  const params = fn.params.map(printField).join(', ')
  const throws = fn.throws.length > 0 ? ` throws (${fn.throws.map(printField).join(', ')})` : ''
  return `${printDoc(fn.doc, '  ')}  ${fn.oneway ? 'oneway ' : ''}${printType(fn.returns)} ${fn.name}(${params})${throws}\n`
}

/**
 * The model as `.thrift` text, deterministic, accepted by the Apache Thrift compiler.
 * Throws with every problem of the model (`checkIdl`) when it has any.
 */
export function printIdl(model: IdlModel): string {
  const problems = checkIdl(model)
  if (problems.length > 0)
    throw new Error(`The interface cannot be written as Thrift IDL: ${problems.join(' ')}`)
  const parts = [
    `${printDoc(model.doc, '')}namespace * ${model.namespace}\n`,
    ...inDependencyOrder(model.structs).map((struct) => printStruct('struct', struct)),
    ...model.exceptions.map((struct) => printStruct('exception', struct)),
    ...model.services.map(
      (service) =>
        `${printDoc(service.doc, '')}service ${service.name} {\n${service.functions.map(printFunction).join('\n')}}\n`,
    ),
  ]
  return parts.join('\n')
}

/** Thrift wants a struct defined before it is used, but for a struct that refers to itself. */
function inDependencyOrder(structs: IdlStruct[]): IdlStruct[] {
  const byName = new Map(structs.map((struct) => [struct.name, struct]))
  const order: IdlStruct[] = []
  const seen = new Set<string>()
  const visit = (struct: IdlStruct) => {
    if (seen.has(struct.name)) return
    seen.add(struct.name)
    for (const field of struct.fields) for (const used of structsIn(field.type)) visitName(used)
    order.push(struct)
  }
  const visitName = (name: string) => {
    const struct = byName.get(name)
    if (struct) visit(struct)
  }
  for (const struct of structs) visit(struct)
  return order
}

function structsIn(type: IdlType): string[] {
  if (typeof type === 'string') return []
  if ('list' in type) return structsIn(type.list)
  if ('map' in type) return type.map.flatMap(structsIn)
  return [type.struct]
}

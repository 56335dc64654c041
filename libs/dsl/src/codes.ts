/** Every diagnostic there is. The codes are stable; docs/diagnostics.md explains each of them. */
import type { Severity } from './types.ts'

/** What a diagnostic code stands for: its severity, and a title without the details of one occurrence. */
export interface CodeInfo {
  severity: Severity
  title: string
}

const error = (title: string): CodeInfo => ({ severity: 'error', title })
const warning = (title: string): CodeInfo => ({ severity: 'warning', title })
const hint = (title: string): CodeInfo => ({ severity: 'hint', title })

/** Every diagnostic code with its severity and title, such as `HM101`. docs/diagnostics.md explains each. */
export const CODES: Readonly<Record<string, CodeInfo>> = {
  HM101: error('A bracket is never closed'),
  HM102: error('A closing bracket too many'),
  HM103: error('The wrong closing bracket'),
  HM104: error('A comma is missing'),
  HM105: error('A comma too many'),
  HM106: error('A text is not closed'),
  HM107: error('Typographic quotes'),
  HM108: error('A character that cannot stand here'),
  HM109: error('Not a statement of the language'),
  HM110: error('Not a value of the language'),
  HM111: error('A statement is indented'),
  HM112: error('Two statements on one line'),
  HM113: error('A text the language cannot hold'),
  HM114: error('Not a number'),
  HM115: warning('Two texts side by side'),
  HM116: hint('Constraints in a form Python cannot read'),
  HM117: error('An argument without a name after one with a name'),
  HM118: error('An argument given twice'),
  HM119: error("Another language's None, True or False"),
  HM120: error('A word of Python used as a name'),
  HM121: error('The text is too long'),
  HM122: error('Brackets nested too deep'),
  HM123: error('A value is missing'),
  HM124: error("':' where '=' belongs"),
  HM125: error('A line break before the parenthesis'),

  HM201: error('Unknown statement'),
  HM202: error('Unknown argument'),
  HM203: error('A required argument is missing'),
  HM204: error('Too many arguments'),
  HM205: error('A value of the wrong kind'),
  HM206: error('Not a name'),
  HM207: error('One argument in two spellings'),
  HM208: error('Not one of the possible values'),
  HM209: warning('An argument that is nearly a known one'),
  HM210: error('A quantity without a fitting unit'),
  HM212: warning('One name twice in a list'),
  HM213: warning('A number too large to be kept exactly'),
  HM214: error('A key that is no text'),

  HM301: error('No TaskGraph'),
  HM302: error('A second TaskGraph'),
  HM303: error('A listed task is not defined'),
  HM304: error('A task is not listed'),
  HM305: error('A task is defined twice'),
  HM306: error('A listed name is nearly a defined one'),
  HM307: error('An unknown parent or child'),
  HM308: error('Parent and child disagree'),
  HM309: error('A cycle'),
  HM310: warning('A task no edge leads to or from'),
  HM311: error('A task that can never start'),
  HM312: warning('A workflow without tasks'),

  HM401: error('Data is read and nobody writes it'),
  HM402: error('Data is written by two tasks'),
  HM403: error('Two descriptions of one data disagree'),
  HM404: error('Data is read before it is written'),
  HM405: warning('Data comes from a task that is no parent'),
  HM406: warning('Data is described and nobody uses it'),
  HM407: warning('An object with a rate'),
  HM408: error('Not a media type'),
  HM409: hint('Data is described twice'),
  HM410: error('A task reads what it writes'),
  HM411: error('Data that cannot stay on the device'),

  HM501: error('A relation over an unknown task'),
  HM502: error('A relation of a task with itself'),
  HM503: error('Two relations over one pair contradict each other'),
  HM504: error('Serial against the order of the graph'),
  HM505: hint('A relation is given twice'),
  HM506: hint('Parallel over tasks that the graph orders'),
  HM507: error('A barrier on a task without parents'),
  HM508: warning('A barrier that can never open'),

  HM601: error('A directive for an unknown task'),
  HM602: error('Two directives contradict each other'),
  HM603: hint('A directive is given twice'),
  HM604: error('No device can satisfy the placement'),
  HM605: error('Not a placement'),
  HM606: error('A sensor or actuator away from the edge'),
  HM607: error('Only network functions can be placed on the fabric'),
  HM608: warning('Persist on a task without output'),
  HM609: warning('Schedule without wishes'),
  HM610: error('Not a condition'),

  HM701: error('Unknown constraint'),
  HM702: error('A constraint with a wrong unit'),
  HM703: error('A constraint is given twice'),
  HM704: warning('Constraints that contradict each other'),
  HM705: error('A limit nothing can meet'),
  HM706: warning('A deadline beyond the limit of the whole job'),

  HM801: error('A path that leaves the project'),
  HM802: warning('The code does not exist'),
  HM803: error('An unknown network function'),
  HM804: error('A network function that is not well formed'),
  HM805: warning('Code that the runner cannot run'),
  HM807: warning('A file of the task does not exist'),
}

import { formatTraceparent, parseTraceparent } from '@hivemind/orchestrator'
import { Body, Controller, Headers, Param, Query, Res } from '@nestjs/common'
import type { FastifyReply } from 'fastify'
import { type BodyOf, Operation, type QueryOf } from '../common/contract.ts'
import { ComparisonService } from './comparison.service.ts'
import { ReportsService } from './reports.service.ts'
import { RunReader } from './run-reader.service.ts'
import { RunTraces } from './run-traces.service.ts'
import { RunsService } from './runs.service.ts'

const EXTENSIONS: Record<string, string> = {
  'application/json': '.json',
  'application/cbor': '.cbor',
  'image/jpeg': '.jpg',
  'image/png': '.png',
  'text/plain': '.txt',
  'text/csv': '.csv',
}
/** For the name of a downloaded value. */
const extensionOf = (type: string) => EXTENSIONS[type.split(';')[0]?.trim() ?? ''] ?? '.bin'

@Controller()
export class RunsController {
  private readonly runs: RunsService
  private readonly reader: RunReader
  private readonly reports: ReportsService
  private readonly comparisons: ComparisonService
  private readonly traces: RunTraces

  constructor(
    runs: RunsService,
    reader: RunReader,
    reports: ReportsService,
    comparisons: ComparisonService,
    traces: RunTraces,
  ) {
    this.traces = traces
    this.runs = runs
    this.reader = reader
    this.reports = reports
    this.comparisons = comparisons
  }

  @Operation('listRuns')
  list(@Param('project') project: string, @Query() query: QueryOf<'listRuns'>) {
    return this.reader.list(project, query)
  }

  @Operation('startRun')
  start(
    @Param('deployment') deployment: string,
    @Body() body: BodyOf<'startRun'>,
    @Headers('traceparent') traceparent?: string,
  ) {
    // One that cannot be read begins no trace: the run has one of its own.
    const outer = parseTraceparent(traceparent)
    return this.runs.start(deployment, outer ? { traceparent: formatTraceparent(outer), ...body } : body)
  }

  @Operation('getRun')
  get(@Param('run') run: string) {
    return this.reader.get(run)
  }

  @Operation('listSpans')
  spans(@Param('run') run: string, @Query() query: QueryOf<'listSpans'>) {
    return this.reader.spans(run, query)
  }

  @Operation('getOutput')
  async output(
    @Param('run') run: string,
    @Param('index') index: number,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { type, bytes } = await this.reader.output(run, index)
    await reply
      .header(
        'Content-Disposition',
        `attachment; filename="run-${run.slice(0, 8)}-output-${index}${extensionOf(type)}"`,
      )
      // What task code made is never a page of this site.
      .header('Content-Security-Policy', "default-src 'none'; sandbox")
      .type(type)
      .send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  }

  @Operation('cancelRun')
  cancel(@Param('run') run: string) {
    return this.runs.cancel(run)
  }

  @Operation('compareDeployment')
  compare(@Param('deployment') deployment: string, @Query() query: QueryOf<'compareDeployment'>) {
    return this.comparisons.compare(deployment, query)
  }

  @Operation('runTrace')
  async trace(@Param('run') run: string, @Res() reply: FastifyReply): Promise<void> {
    const trace = await this.traces.file(run)
    await reply
      .header('Content-Disposition', `attachment; filename="run-${run.slice(0, 8)}-trace.json"`)
      .type('application/json; charset=utf-8')
      .send(`${JSON.stringify(trace)}\n`)
  }

  @Operation('runReport')
  async report(
    @Param('run') run: string,
    @Query() { format }: QueryOf<'runReport'>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { fileName, text } = await this.reports.report(run, format)
    await reply
      .header('Content-Disposition', `attachment; filename="${fileName}"`)
      // Opened in a browser, a report may not run anything, even if something slipped into it.
      .header('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
      .type(format === 'html' ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8')
      .send(text)
  }
}

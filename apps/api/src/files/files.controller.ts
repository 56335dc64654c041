import { Body, Controller, Param, Query, Res } from '@nestjs/common'
import type { FastifyReply } from 'fastify'
import { type BodyOf, Operation, type QueryOf } from '../common/contract.ts'
import { FilesService } from './files.service.ts'

@Controller()
export class FilesController {
  private readonly files: FilesService

  constructor(files: FilesService) {
    this.files = files
  }

  @Operation('listFiles')
  list(@Param('project') project: string) {
    return this.files.list(project)
  }

  @Operation('getFile')
  async get(
    @Param('project') project: string,
    @Query() { path }: QueryOf<'getFile'>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { handle, bytes, hash } = await this.files.open(project, path)
    if (hash !== undefined) reply.header('ETag', `"${hash}"`)
    await reply
      .header('Content-Length', bytes)
      .header('Cache-Control', 'no-store')
      .type('application/octet-stream')
      .send(bytes === 0 ? '' : handle.createReadStream({ start: 0, end: bytes - 1 }))
    if (bytes === 0) await handle.close()
  }

  @Operation('putFile')
  put(
    @Param('project') project: string,
    @Query() { path, expected }: QueryOf<'putFile'>,
    @Body() { text }: BodyOf<'putFile'>,
  ) {
    return this.files.put(project, path, text, expected)
  }

  @Operation('deleteFile')
  delete(@Param('project') project: string, @Query() { path }: QueryOf<'deleteFile'>) {
    return this.files.delete(project, path)
  }
}

import { Body, Controller, Param } from '@nestjs/common'
import { type BodyOf, Operation } from '../common/contract.ts'
import { BoardsService } from './boards.service.ts'
import { answered } from './fabric-problem.ts'

@Controller()
export class BoardsController {
  private readonly boards: BoardsService

  constructor(boards: BoardsService) {
    this.boards = boards
  }

  @Operation('listFabricBoards')
  list() {
    return this.boards.list()
  }

  @Operation('startFabricBoard')
  start(@Body() body: BodyOf<'startFabricBoard'>) {
    return this.boards.start(body)
  }

  @Operation('stopFabricBoard')
  stop(@Param('board') board: string) {
    return this.boards.stop(board)
  }

  @Operation('loadFabricBoard')
  load(@Param('board') board: string, @Body() body: BodyOf<'loadFabricBoard'>) {
    return this.boards.startLoad(board, body)
  }

  @Operation('getFabricRegisters')
  registers(@Param('board') board: string) {
    return answered(() => this.boards.get(board).registers())
  }

  @Operation('setFabricRegisters')
  set(@Param('board') board: string, @Body() settings: BodyOf<'setFabricRegisters'>) {
    return answered(() => this.boards.get(board).set(settings))
  }

  @Operation('startFabricTraffic')
  startTraffic(@Param('board') board: string, @Body() traffic: BodyOf<'startFabricTraffic'>) {
    const session = this.boards.free(board)
    session.startTraffic(traffic)
    return this.boards.recordOf(session)
  }

  @Operation('getFabricTraffic')
  values(@Param('board') board: string) {
    return this.boards.get(board).values
  }

  @Operation('stopFabricTraffic')
  stopTraffic(@Param('board') board: string) {
    const session = this.boards.get(board)
    session.stopTraffic()
    return this.boards.recordOf(session)
  }
}

"""Request and response models of the FastAPI peer. It validates both and serializes responses with them, as its manual recommends."""

from typing import Generic, Literal, TypeVar

from pydantic import BaseModel, Field

T = TypeVar("T")
Period = Literal["24h", "7d", "30d", "90d", "all-time"]


class PageQuery(BaseModel):
    page: int = Field(1, ge=1)
    limit: int = Field(20, ge=1, le=100)


class ServerQuery(PageQuery):
    sort: Literal["recent", "players", "votes", "rating", "uptime", "trending", "name"] = "recent"
    country: str | None = None
    version: str | None = None
    tag: str | None = None
    mode: str | None = None
    minPlayers: int | None = None
    maxPlayers: int | None = None
    minUptime: float | None = None
    minVotes: int | None = None
    minRating: float | None = None
    onlineOnly: bool = False


class PlayerQuery(PageQuery):
    sort: Literal["recent", "name", "playtime", "sessions", "tier"] = "recent"


class Envelope(BaseModel, Generic[T]):
    success: bool = True
    data: T


class Pagination(BaseModel):
    page: int
    limit: int
    total: int
    totalPages: int


class Server(BaseModel):
    id: str
    slug: str
    name: str
    shortDescription: str
    ip: str
    port: int
    iconUrl: str
    bannerUrl: str
    motdImageUrl: str
    motd: str
    website: str | None
    chatUrl: str | None
    visibility: str
    isOnline: bool
    currentPlayers: int
    maxPlayers: int
    version: str
    latency: int
    lastPing: str | None
    country: str
    tags: list[str]
    gameMode: str | None
    uptime: float
    trend: float
    totalVotes: int
    rating: float
    createdAt: str


class HistoryPoint(BaseModel):
    timestamp: str
    onlinePlayers: int


class PeriodStats(BaseModel):
    avgPlayers: float
    maxPlayers: int


class DayVotes(BaseModel):
    day: str
    votes: int


class ServerDetail(Server):
    statsHistory: list[HistoryPoint]
    periodStats: dict[str, PeriodStats]
    voteStats: dict[str, int]
    dailyVotes: list[DayVotes]


class SessionServer(BaseModel):
    id: str
    slug: str
    name: str
    iconUrl: str


class Session(BaseModel):
    id: str
    server: SessionServer
    joinedAt: str
    leftAt: str
    totalPlayTime: int


class Player(BaseModel):
    id: str
    gameUuid: str
    mainNickname: str
    skinUrl: str
    linkedSkinPngPath: str
    skinModel: str
    country: str | None
    tierOverall: str
    tierPoints: int
    tierRank: int | None
    lastTierSyncAt: str | None
    createdAt: str
    totalPlayTime: int
    sessionCount: int


class PlayerDetail(Player):
    recentSessions: list[Session]


class Voter(BaseModel):
    id: str
    gameUsername: str
    votedAt: str
    type: str
    playerId: str | None
    gameUuid: str | None
    skinUrl: str
    linkedSkinPngPath: str
    skinModel: str
    siteUsername: str


class FoundServer(BaseModel):
    id: str
    slug: str
    name: str
    iconUrl: str
    bannerUrl: str
    currentPlayers: int
    maxPlayers: int
    isOnline: bool
    rating: float


class FoundPlayer(BaseModel):
    id: str
    gameUuid: str
    mainNickname: str
    createdAt: str
    updatedAt: str


class LiveStats(BaseModel):
    totalPlayers: int
    totalServers: int
    onlineServers: int
    generatedAt: str


class TopServer(BaseModel):
    id: str
    name: str
    players: int
    maxPlayers: int
    isOnline: bool
    country: str


class ServerList(BaseModel):
    servers: list[Server]
    pagination: Pagination


class PlayerList(BaseModel):
    players: list[Player]
    pagination: Pagination


class PlayerData(BaseModel):
    player: PlayerDetail


class ServerData(BaseModel):
    server: ServerDetail


class VoterList(BaseModel):
    voters: list[Voter]
    total: int
    page: int
    totalPages: int


class SearchResults(BaseModel):
    servers: list[FoundServer]
    players: list[FoundPlayer]


class SearchData(BaseModel):
    results: SearchResults
    query: str


class LiveData(BaseModel):
    stats: LiveStats
    topServers: list[TopServer]
    recentActivity: list[Voter]
    countryPlayers: dict[str, int]

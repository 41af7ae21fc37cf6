from app.session import require_session


def handle(request):
    require_session(request)
    print("admin", request["id"])
    return {"id": request["id"], "queue": 0}
